import { styled } from '../core/terminal-text.js';
import type { Cancel } from '../core/ports.js';
import type { Bot } from './bot.js';
import type { ChargedFees } from './charged-fees.js';
import type { Io, RunOptions } from './command-options.js';
import type { SluiceConfig } from './config.js';
import type { EmbeddedSandbox } from './embedded-sandbox.js';
import { EXIT } from './exit-code.js';
import { SafetyRefusal, StartError } from './failure.js';
import { FLATTEN_GOES_ON, leftOpenCounts, leftOpenLines } from './left-open.js';
import {
  equityNow,
  NOT_RECONCILED,
  summarise,
  summaryText,
  unbegunSummary,
  unbegunText,
  worthNow,
  type Worth,
} from './run-summary.js';
import { KILL_FILE, killText } from './state-folder.js';
import { strategyErrors } from './strategy-failures.js';
import { unprovedAdvice, unprovedOrders } from './unproved-orders.js';
import type { VenueWait } from './venue-wait.js';

const EQUITY_EVERY_MS = 1_000;
const PROGRESS_EVERY_MS = 10_000;
const KILL_EVERY_MS = 1_000;
/** Real ms that fee history may take at the end. */
const FEES_WITHIN_MS = 2_000;
const FEES_AGAIN_MS = 250;
const FLATTEN_EVERY_MS = 2_000;
/** Candles that close at the very end of the run may arrive this much after it. */
const LAST_CANDLE_MS = 500;

export interface RunSessionParts {
  readonly options: RunOptions;
  readonly io: Io;
  readonly config: SluiceConfig;
  readonly bot: Bot;
  readonly sandbox: EmbeddedSandbox | undefined;
  /** Monotonic ms at which the venue was there. */
  readonly startedAt: number;
  readonly stateDir: string;
  readonly wait: VenueWait;
  /** The kill switch was set before it began: it takes back and closes alone. */
  readonly killed: boolean;
}

/** One run from its start to its summary. */
export class RunSession {
  readonly #parts: RunSessionParts;
  readonly #equity: number[] = [];
  readonly #cancels = new Set<Cancel>();
  #trading = false;
  #begun: Worth | undefined;
  /** Venue ms: nothing of this run was charged before. */
  readonly #from: number;
  #fees: ChargedFees | undefined;
  /** Somebody who waits for a while only, such as a supervisor, asks it to end. */
  #terminated = false;

  constructor(parts: RunSessionParts) {
    this.#parts = parts;
    // The venue tells whole seconds.
    this.#from = Math.ceil(parts.bot.venueTimeIn(0) / 1_000) * 1_000;
  }

  /** @param goesOn from here on the run's time is its own */
  async run(goesOn: () => void): Promise<number> {
    const { options, io, bot, sandbox, config, wait, killed } = this.#parts;
    const stop = this.#stopSignal();
    const forced = stop.second.then(() => 'forced' as const);
    this.#tellFlatten();
    try {
      this.#firstWords();
      const started = await Promise.race([
        bot.start().then(() => 'started' as const),
        stop.first.then(() => 'stopped' as const),
        wait.ended.then(() => 'stopped' as const),
        bot.failed,
      ]);
      goesOn();
      if (started === 'stopped' && this.#mayLeaveUnbegun()) return await this.#leaveUnbegun();
      if (started === 'started' && bot.engine.haltReason === undefined && !killed) {
        this.#trading = true;
        sandbox?.sandbox.release();
        this.#begun = worthNow(bot.engine);
        await bot.readTime();
        this.#watch();
        await Promise.race([this.#afterFlatten(), stop.first, bot.failed, bot.halted]);
        await Promise.race([stop.first, this.#duration(), bot.failed, bot.halted]);
      }
      const policy = killed ? 'keep' : config.onStop;
      const ended = await Promise.race([
        bot.stop(policy, this.#deadline(), () => this.#readFees()).then(() => 'stopped' as const),
        forced,
      ]);
      if (ended === 'forced') {
        io.stderr(
          'sluice: left at once; what was under way is journaled and looked for at the next start\n',
        );
        this.#tellUnfinished();
        return EXIT.failed;
      }
      if (bot.failure !== undefined) throw bot.failure;
      const { haltReason } = bot.engine;
      if (haltReason !== undefined) throw new StartError(haltText(haltReason, this.#trading));
      this.#conclude();
      this.#tellUnfinished();
      if (killed) throw new SafetyRefusal(this.#killText());
      if (bot.engine.flattenState === 'unfinished') return EXIT.failed;
      if (options.json && !bot.engine.reconciled) io.stderr(`sluice: ${NOT_RECONCILED}\n`);
      const proved = bot.engine.reconciled && strategyErrors(bot.engine).length === 0;
      return proved ? EXIT.done : EXIT.failed;
    } catch (error) {
      if (bot.journalLost) await Promise.race([bot.stop(cancelingPolicy(config)), stop.second]);
      // The summary first: what stands in the books when it ended is what matters now.
      await bot.close();
      if (this.#trading) this.#conclude();
      throw error;
    } finally {
      for (const cancel of this.#cancels) cancel();
      stop.forget();
    }
  }

  #firstWords(): void {
    const { options, bot, killed } = this.#parts;
    for (const what of options.adopt ?? []) bot.command({ kind: 'adopt', what });
    for (const symbol of options.resume ?? []) bot.command({ kind: 'resume', symbol });
    if (options.dropFlatten === true) bot.command({ kind: 'drop-flatten' });
    if (killed) bot.command({ kind: 'kill', level: 'cancel', reason: `${this.#killPath} exists` });
  }

  get #killPath(): string {
    return `${this.#parts.stateDir}/${KILL_FILE}`;
  }

  /** A flatten of an earlier run comes to its end before anything trades. */
  async #afterFlatten(): Promise<void> {
    const { bot } = this.#parts;
    await bot.until(() => !bot.engine.flattening, Number.POSITIVE_INFINITY);
  }

  /** A flatten takes as long as it takes, unless somebody waits for the end or nothing can leave. */
  #deadline(): () => number {
    const { bot, config, io } = this.#parts;
    let from = io.clock.monotonicMs();
    return () => {
      const { flattening, haltReason } = bot.engine;
      const isPatient = flattening && haltReason === undefined && !this.#terminated;
      if (isPatient) from = io.clock.monotonicMs();
      return from + config.stopTimeoutMs;
    };
  }

  #tellFlatten(): void {
    const { bot, io } = this.#parts;
    this.#every(FLATTEN_EVERY_MS, () => {
      const { flattening, leftOpen } = bot.engine;
      if (flattening) io.stderr(`sluice: flatten: ${leftOpenCounts(leftOpen)} still open\n`);
    });
  }

  /** By name: the text of the summary does so too, and its JSON. */
  #tellUnfinished(): void {
    const { bot, io } = this.#parts;
    if (bot.engine.flattenState !== 'unfinished') return;
    for (const line of [FLATTEN_GOES_ON, ...leftOpenLines(bot.engine.leftOpen)])
      io.stderr(`sluice: ${line}\n`);
  }

  #killText(): string {
    const { leftOpen } = this.#parts.bot.engine;
    const isFlat = leftOpen.positions.length === 0 && leftOpen.orders.length === 0;
    const found = isFlat
      ? ' No order and no position of ours is open.'
      : ` Nothing was placed, orders were taken back; still open: ${leftOpenCounts(leftOpen)}.`;
    return killText(this.#killPath, found);
  }

  /** Nothing is to be closed, and what an earlier life left open may stay as it is. */
  #mayLeaveUnbegun(): boolean {
    const { bot, config, killed } = this.#parts;
    const { begun, flattening } = bot.engine;
    const closes = killed || flattening || config.onStop === 'flatten';
    return !begun && !(closes && bot.hasPast);
  }

  /** Nothing was sent in this life: there is nothing to wait for. */
  async #leaveUnbegun(): Promise<number> {
    const { bot, io, wait, stateDir, options } = this.#parts;
    await bot.close();
    if (wait.down !== undefined) {
      tellUnbegun(
        stateDir,
        `ended before the venue could be used: ${wait.down.cause}`,
        options,
        io,
      );
      return EXIT.failed;
    }
    io.stderr('sluice: stopped before it began to trade\n');
    for (const row of unprovedOrders(bot.engine)) io.stderr(`sluice: ${unprovedAdvice(row)}\n`);
    return bot.engine.ledger.unproved === 0 ? EXIT.done : EXIT.failed;
  }

  /** The first signal asks to stop, the second to leave at once. */
  #stopSignal(): { first: Promise<void>; second: Promise<void>; forget: () => void } {
    const { io } = this.#parts;
    let onFirst: () => void = () => undefined;
    let onSecond: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (onFirst = resolve));
    const second = new Promise<void>((resolve) => (onSecond = resolve));
    let count = 0;
    const forget = io.onSignal((signal) => {
      count += 1;
      this.#terminated ||= signal === 'SIGTERM';
      if (count > 1) onSecond();
      else {
        io.stderr(`\nsluice: ${signal}: stopping (once more leaves at once)\n`);
        onFirst();
      }
    });
    return { first, second, forget };
  }

  /** Ends when the run has lasted its time, and the candles that close within it have come. */
  #duration(): Promise<void> {
    const { options, bot, wait } = this.#parts;
    if (options.durationMs === undefined) return new Promise<never>(() => undefined);
    const durationMs = Math.max(0, options.durationMs - wait.waitedMs);
    bot.decideUntil(bot.venueTimeIn(durationMs));
    return new Promise((resolve) => this.#later(durationMs + LAST_CANDLE_MS, resolve));
  }

  #watch(): void {
    this.#every(EQUITY_EVERY_MS, () => {
      const equity = equityNow(this.#parts.bot.engine);
      if (equity !== undefined) this.#equity.push(equity);
    });
    this.#every(PROGRESS_EVERY_MS, () => {
      this.#parts.bot.tellProgress();
    });
    this.#every(KILL_EVERY_MS, () => {
      void this.#lookForKillFile();
    });
  }

  async #lookForKillFile(): Promise<void> {
    const { io, bot } = this.#parts;
    const path = this.#killPath;
    if (bot.engine.killLevel !== undefined || !(await io.files.exists(path))) return;
    bot.command({ kind: 'kill', level: 'cancel', reason: `${path} was found` });
  }

  /** Again while it lags behind our own fills; a stop may have little time. */
  async #readFees(): Promise<void> {
    const { bot, io } = this.#parts;
    const until = io.clock.monotonicMs() + FEES_WITHIN_MS;
    while (this.#fees === undefined && io.clock.monotonicMs() < until) {
      const late = this.#passed(until - io.clock.monotonicMs());
      const fees = await Promise.race([bot.feesSince(this.#from), late]);
      if (fees !== undefined && fees.trades >= bot.engine.counts.ordersFilled) this.#fees = fees;
      else await this.#passed(FEES_AGAIN_MS);
    }
  }

  #passed(ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      this.#later(ms, () => {
        resolve(undefined);
      });
    });
  }

  #conclude(): void {
    const { options, io, bot, startedAt, stateDir } = this.#parts;
    const facts = { begun: this.#begun, told: bot.toldPositions, fees: this.#fees };
    const summary = summarise(bot.engine, startedAt, stateDir, facts);
    if (options.json) io.stdout(`${JSON.stringify(summary)}\n`);
    else {
      const colour = io.isTerminal && io.env['NO_COLOR'] === undefined;
      io.stdout(styled(summaryText(summary, bot.engine, { equity: this.#equity, colour })));
    }
  }

  #every(delayMs: number, run: () => void): void {
    this.#later(delayMs, () => {
      run();
      this.#every(delayMs, run);
    });
  }

  #later(delayMs: number, run: () => void): void {
    const cancel = this.#parts.io.scheduler.after(delayMs, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
  }
}

/** Without a journal nothing can be placed, an exit neither. */
const cancelingPolicy = ({ onStop }: SluiceConfig): 'keep' | 'cancel-entries' =>
  onStop === 'keep' ? 'keep' : 'cancel-entries';

/** Why nothing is placed any more, and what then. */
const haltText = (reason: string, trading: boolean): string =>
  trading
    ? `trading was halted: ${reason}. Look at the account, then start again: it reconciles first`
    : `the run cannot begin: ${reason}`;

/** The summary of a start whose venue never came. */
export function tellUnbegun(stateDir: string, cause: string, { json }: RunOptions, io: Io): void {
  const summary = unbegunSummary(stateDir, cause);
  const colour = io.isTerminal && io.env['NO_COLOR'] === undefined;
  io.stdout(json ? `${JSON.stringify(summary)}\n` : styled(unbegunText(stateDir, colour)));
  io.stderr(
    `sluice: ${cause}. Nothing was sent, and nothing is known of the account; start again with the same state_dir\n`,
  );
}
