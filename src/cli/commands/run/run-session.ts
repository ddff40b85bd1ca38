import type { Bot } from '../../../live/bot/bot.js';
import type { Io } from '../../command-io.js';
import type { RunOptions } from './run-options.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { EmbeddedSandbox } from '../../../live/embedded-sandbox.js';
import { oneLine } from '../../../core/terminal-text.js';
import { restrictionText } from '../../../risk/restriction-text.js';
import type { Restriction } from '../../../risk/restrictions.js';
import { EXIT } from '../../../core/exit-code.js';
import { SafetyRefusal, StartError } from '../../../core/command-errors.js';
import { leftOpenCounts } from '../../../live/summary/open-exposure-text.js';
import type { Expectation } from '../../../live/expectation/expectation.js';
import { NOT_RECONCILED } from '../../../live/summary/run-summary-text.js';
import { endsTightenedLimits, recordStartedLimits } from '../../../live/checks/loosened-limits.js';
import {
  readPendingCommands,
  removePendingCommands,
} from '../../../live/state/pending-commands.js';
import { killText } from '../../../live/state/state-folder.js';
import type { KillSetting } from '../../../live/state/kill-file.js';
import { removeRestoreMark } from '../../../live/state/restore-mark.js';
import type { KillSwitch } from '../../../live/operator/kill-switch.js';
import { strategyErrors } from '../../../live/strategies/strategy-failures.js';
import { unprovedAdvice, unprovedOrders } from '../../../live/summary/unproved-orders.js';
import type { StartupRetry } from '../../../live/bot/startup-retry.js';
import { listenForStop, type StopSignal } from '../../stop-signal.js';
import { RunReporter, printVenueUnavailable } from './run-reporter.js';
import { RunTimers } from './run-timers.js';

const KILL_CHECK_INTERVAL_MS = 1_000;
/** Candles that close at the very end of the run may arrive this much after it. */
const LAST_CANDLE_GRACE_MS = 500;

export interface RunSessionParts {
  readonly options: RunOptions;
  readonly io: Io;
  readonly config: SluiceConfig;
  readonly bot: Bot;
  readonly sandbox: EmbeddedSandbox | undefined;
  /** Monotonic ms at which the venue could be used. */
  readonly startedAt: number;
  readonly stateDir: string;
  /** undefined: the configuration names no backtest. */
  readonly expectation: Expectation | undefined;
  readonly retry: StartupRetry;
  readonly killSwitch: KillSwitch;
  /** The policy of a stop has been carried out, or nothing was sent: a supervisor has nothing to do. */
  readonly onPlannedStop: () => void;
  /** The kill switch at the start; undefined: it was off. */
  readonly kill: KillSetting | undefined;
}

/** One run from its start to its summary. */
export class RunSession {
  readonly #parts: RunSessionParts;
  readonly #timers: RunTimers;
  readonly #reporter: RunReporter;
  #trading = false;
  #endsTightened = false;

  constructor(parts: RunSessionParts) {
    this.#parts = parts;
    this.#timers = new RunTimers(parts.io.scheduler);
    this.#reporter = new RunReporter(parts, this.#timers);
  }

  /** @param onStarted called when the start is over; the session handles signals and the duration itself */
  async run(onStarted: () => void): Promise<number> {
    const { io, bot, config } = this.#parts;
    const stop = listenForStop(io);
    this.#reporter.startFlattenProgress();
    this.#timers.repeat(KILL_CHECK_INTERVAL_MS, () => {
      void this.#parts.killSwitch.check();
    });
    try {
      this.#sendStartCommands();
      await this.#endTightenedLimits();
      await this.#obeyPendingCommands();
      const isStarted = await this.#start(stop);
      onStarted();
      if (!isStarted && this.#canStopBeforeStart()) return await this.#stopBeforeStart();
      if (isStarted && this.#mayTrade()) await this.#trade(stop);
      return await this.#end(stop);
    } catch (error) {
      if (bot.isCancelOnly) await Promise.race([bot.stop(cancelingPolicy(config)), stop.second]);
      // The summary first: it lists what is still open at the venue.
      await bot.close();
      if (this.#trading) this.#reporter.printSummary();
      throw error;
    } finally {
      this.#timers.cancelAll();
      stop.removeListener();
    }
  }

  #sendStartCommands(): void {
    const { options, bot, kill, killSwitch } = this.#parts;
    for (const what of options.adopt ?? []) bot.command({ kind: 'adopt', what });
    for (const symbol of options.resume ?? []) bot.command({ kind: 'resume', symbol });
    if (options.dropFlatten === true) bot.command({ kind: 'drop-flatten' });
    if (kill === undefined) return;
    bot.command({ kind: 'kill', level: kill.level, reason: `${killSwitch.path} exists` });
  }

  /** An acceptance of the configuration's limits ends those that a person tightened at run time (R44). */
  async #endTightenedLimits(): Promise<void> {
    const { bot, config, stateDir, io } = this.#parts;
    if (bot.engine.tightenedLimits.length === 0) return;
    this.#endsTightened = await endsTightenedLimits(config, stateDir, io.files);
    if (this.#endsTightened) bot.command({ kind: 'loosen', reason: 'sluice risk accept' });
  }

  /** Commands that a person gave while no daemon ran. The file goes once the journal holds them. */
  async #obeyPendingCommands(): Promise<void> {
    const { bot, io, stateDir } = this.#parts;
    const pending = await readPendingCommands(io.files, stateDir);
    if (pending.length === 0) return;
    const obeyed = new Set(
      bot.journalAtStart.flatMap((each) => (each.type === 'command' ? [each.commandId] : [])),
    );
    for (const { id, command } of pending) if (!obeyed.has(id)) bot.command(command, id);
    await bot.flushJournal();
    await removePendingCommands(io.files, stateDir);
  }

  /** Under a pause the strategies run, and only exits leave. Under the other levels nothing trades. */
  get #closesOnly(): boolean {
    const { kill } = this.#parts;
    return kill !== undefined && kill.level !== 'pause';
  }

  /** @returns false when a signal or the end of the duration came first */
  #start({ first }: StopSignal): Promise<boolean> {
    const { bot, retry } = this.#parts;
    return Promise.race([
      bot.start().then(() => true),
      first.then(() => false),
      retry.cancelled.then(() => false),
      bot.failed,
    ]);
  }

  #mayTrade(): boolean {
    return this.#parts.bot.engine.haltReason === undefined && !this.#closesOnly;
  }

  async #trade(stop: StopSignal): Promise<void> {
    const { bot, sandbox, config, stateDir, io } = this.#parts;
    await recordStartedLimits(config, stateDir, io.files, this.#endsTightened);
    await removeRestoreMark(io.files, stateDir);
    this.#trading = true;
    sandbox?.sandbox.release();
    this.#reporter.snapshotStartEquity();
    await bot.readTime();
    this.#reporter.startProgress();
    await Promise.race([this.#flattenEnded(), stop.first, bot.failed, bot.halted]);
    await Promise.race([stop.first, this.#duration(), bot.failed, bot.halted]);
  }

  /** Stops the bot, prints the summary. @returns the exit code */
  async #end(stop: StopSignal): Promise<number> {
    const { options, io, bot } = this.#parts;
    const policy = this.#stopPolicy();
    const isStopped = await Promise.race([
      bot
        .stop(policy, this.#deadline(stop), () => {
          this.#parts.onPlannedStop();
          return this.#reporter.readFees();
        })
        .then(() => true as const),
      stop.second.then(() => false as const),
    ]);
    if (!isStopped) {
      io.stderr(
        'sluice: left at once; unfinished orders are journaled, and the next start queries them\n',
      );
      this.#reporter.printUnfinishedFlatten();
      return EXIT.failed;
    }
    if (bot.failure !== undefined) throw bot.failure;
    const { haltReason } = bot.engine;
    if (haltReason !== undefined) throw new StartError(haltText(haltReason, this.#trading));
    const report = this.#trading ? await this.#reporter.writeReport() : null;
    this.#reporter.printSummary(report);
    this.#reporter.printUnfinishedFlatten();
    await this.#reporter.openReport(report);
    if (this.#closesOnly) throw new SafetyRefusal(this.#killText());
    if (bot.engine.flattenState === 'unfinished' || this.#hasUnclosedPosition(policy))
      return EXIT.failed;
    if (options.json && !bot.engine.isReconciled) io.stderr(`sluice: ${NOT_RECONCILED}\n`);
    const failures = bot.engine.restrictions.filter(isFailure);
    if (options.json)
      for (const each of failures) io.stderr(`sluice: ${oneLine(restrictionText(each))}\n`);
    if (failures.length > 0 || bot.engine.counts.stoppedBy.size > 0) return EXIT.failed;
    const proved = bot.engine.isReconciled && strategyErrors(bot.engine).length === 0;
    return proved ? EXIT.done : EXIT.failed;
  }

  /** Under kill level `cancel` no exit leaves: a flatten would wait for nothing. */
  #stopPolicy(): SluiceConfig['onStop'] {
    const { bot, config } = this.#parts;
    const isRefused = config.onStop === 'flatten' && bot.engine.killLevel === 'cancel';
    if (isRefused) this.#reporter.reportRefusedFlatten();
    if (this.#closesOnly) return 'keep';
    return isRefused ? 'cancel-entries' : config.onStop;
  }

  /** A stop that should have closed everything leaves a position. */
  #hasUnclosedPosition(policy: SluiceConfig['onStop']): boolean {
    const { bot, config } = this.#parts;
    if (this.#closesOnly || config.onStop === policy) return false;
    return bot.engine.openExposure.own.positions.length > 0;
  }

  /** A flatten of a previous run is finished before any strategy trades. */
  async #flattenEnded(): Promise<void> {
    const { bot } = this.#parts;
    await bot.waitUntil(() => !bot.engine.isFlattening, Number.POSITIVE_INFINITY);
  }

  /** A flatten has no deadline, unless a supervisor waits for the end or the bot is halted. */
  #deadline({ hasReceivedSigterm }: StopSignal): () => number {
    const { bot, config, io } = this.#parts;
    let from = io.clock.monotonicMs();
    return () => {
      const { isFlattening, haltReason } = bot.engine;
      const isUnbounded = isFlattening && haltReason === undefined && !hasReceivedSigterm();
      if (isUnbounded) from = io.clock.monotonicMs();
      return from + config.stopTimeoutMs;
    };
  }

  #killText(): string {
    const { own, unconfirmed } = this.#parts.bot.engine.openExposure;
    const isFlat = own.positions.length === 0 && own.orders.length === 0;
    const counts = leftOpenCounts(own);
    const read = isFlat
      ? ' No order and no position of ours is open.'
      : ` Nothing was placed, orders were canceled; still open: ${counts}.`;
    const unread = ` The positions at the venue were not read: the journal has ${counts} of ours open.`;
    const found = unconfirmed === undefined ? read : unread;
    return killText(this.#parts.killSwitch.path, found);
  }

  /** Nothing has to be closed, and exposure of a previous run may stay as it is. */
  #canStopBeforeStart(): boolean {
    const { bot, config } = this.#parts;
    const { isStartupComplete, isFlattening } = bot.engine;
    const closes = this.#closesOnly || isFlattening || config.onStop === 'flatten';
    return !isStartupComplete && !(closes && bot.hasPreviousExposure);
  }

  /** This run has sent nothing, so there is no outcome to wait for. */
  async #stopBeforeStart(): Promise<number> {
    const { bot, io, retry, stateDir, options } = this.#parts;
    this.#parts.onPlannedStop();
    await bot.close();
    if (retry.downtime !== undefined) {
      const cause = `ended before the venue could be used: ${retry.downtime.cause}`;
      printVenueUnavailable(stateDir, cause, options, io);
      return EXIT.failed;
    }
    io.stderr('sluice: stopped before it began to trade\n');
    for (const row of unprovedOrders(bot.engine)) io.stderr(`sluice: ${unprovedAdvice(row)}\n`);
    return bot.engine.ledger.unprovedCount === 0 ? EXIT.done : EXIT.failed;
  }

  /** Resolves at the end of `--duration`, after the candles that close within it have arrived. */
  #duration(): Promise<void> {
    const { options, bot, retry } = this.#parts;
    if (options.durationMs === undefined) return new Promise<never>(() => undefined);
    const durationMs = Math.max(0, options.durationMs - retry.waitedMs);
    bot.decideUntil(bot.venueTimeIn(durationMs));
    return this.#timers.delay(durationMs + LAST_CANDLE_GRACE_MS);
  }
}

/** A latched restriction, of the account or of a symbol, needs a person before the bot trades everything again. */
const isFailure = ({ class: kind }: Restriction): boolean => kind === 'latching';

/** Without a journal nothing can be placed, not even an exit. */
const cancelingPolicy = ({ onStop }: SluiceConfig): 'keep' | 'cancel-entries' =>
  onStop === 'keep' ? 'keep' : 'cancel-entries';

/** The reason of a halt, and the remedy. */
const haltText = (reason: string, trading: boolean): string =>
  trading
    ? `trading was halted: ${reason}. Check the account, then start again: the start reconciles first`
    : `the run cannot begin: ${reason}`;
