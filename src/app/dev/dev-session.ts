import { Secret, SecretHolder } from '../../venue/futures-api/secret.js';
import { styled } from '../../core/terminal-text.js';
import type { NodeNet } from '../../transport/node-net.js';
import { strategyFile } from '../../strategy/loader/loader-files.js';
import type { Bot } from '../bot.js';
import type { Io } from '../command-options.js';
import type { SluiceConfig } from '../config.js';
import type { EmbeddedSandbox } from '../embedded-sandbox.js';
import { EXIT } from '../exit-code.js';
import { ConfigError, StartError } from '../failure.js';
import { openStrategies, type OpenStrategies } from '../open-strategies.js';
import { createLogger } from '../logger.js';
import { nodeProcessFacts } from '../ports/process-facts.js';
import { summarise, summaryText, type RunSummary } from '../run-summary.js';
import { createBot } from '../wire.js';
import type { DevOptions } from './dev-options.js';
import { DevPrinter } from './dev-printer.js';
import { FileWatch } from './file-watch.js';
import { fileStamps, folderOf } from './watched-files.js';

export interface DevParts {
  readonly options: DevOptions;
  readonly io: Io;
  readonly net: NodeNet;
  readonly sandbox: EmbeddedSandbox;
  /** The configuration as it is now, on the sandbox. @throws ConfigError */
  readonly read: () => Promise<SluiceConfig>;
}

interface Plan {
  readonly config: SluiceConfig;
  readonly strategies: OpenStrategies;
}

/** Counts that go on over all lives of the bot. */
const SUMMED = [
  'orders_placed',
  'orders_filled',
  'intents',
  'refused',
  'rejected',
  'dropped',
] as const;

/**
 * Lives of a bot, one after the other, on one sandbox: each save ends a life and begins the next, the
 * way a restart does, so that nothing here trades that would not trade live.
 */
export class DevSession {
  readonly #parts: DevParts;
  readonly #printer: DevPrinter;
  readonly #startedAt: number;
  readonly #stateDir: string;
  #past: RunSummary | undefined;
  #released = false;
  readonly #open = new Set<OpenStrategies>();

  constructor(parts: DevParts) {
    const { io, options, sandbox } = parts;
    this.#parts = parts;
    this.#startedAt = io.clock.monotonicMs();
    this.#stateDir = `.sluice/dev/${new Date(io.clock.utcMs()).toISOString().replaceAll(':', '-')}`;
    this.#printer = new DevPrinter(io.stdout, options.json, () => sandbox.sandbox.now());
  }

  async run(): Promise<number> {
    try {
      return await this.#session();
    } finally {
      await Promise.all([...this.#open].map((strategies) => strategies.close()));
    }
  }

  async #session(): Promise<number> {
    const { io, options } = this.#parts;
    let plan = await this.#plan();
    const watch = new FileWatch(await this.#watched(plan), io.scheduler);
    await watch.begin();
    const stop = stopSignal(io);
    const ended = options.durationMs === undefined ? NEVER : this.#after(options.durationMs);
    let bot = await this.#begin(plan);
    try {
      for (;;) {
        const what = await Promise.race([
          stop.first.then(() => 'stop' as const),
          ended.then(() => 'stop' as const),
          watch.changed().then(() => 'changed' as const),
          bot.halted.then(() => 'halted' as const),
          bot.failed,
        ]);
        if (what === 'halted') throw new StartError(`trading was halted: ${bot.engine.haltReason}`);
        if (what === 'stop') break;
        const next = await this.#planAnew();
        if (next === undefined) continue;
        await bot.stop(options.onReload === 'keep' ? 'keep' : 'flatten');
        this.#count(bot);
        await plan.strategies.close();
        plan = next;
        bot = await this.#begin(plan);
        const kept =
          options.onReload === 'keep' ? 'its position is kept' : 'its position was closed';
        this.#printer.print({ kind: 'reloaded', text: `running what was saved; ${kept}` });
      }
      await Promise.race([bot.stop(plan.config.onStop), stop.second]);
      return this.#conclude(bot);
    } finally {
      watch.stop();
      stop.forget();
      await bot.close();
    }
  }

  async #plan(): Promise<Plan> {
    const config = await this.#parts.read();
    const { startThread } = this.#parts.io;
    const strategies = await openStrategies(config, { startThread, fresh: true });
    this.#open.add(strategies);
    return { config, strategies };
  }

  /** undefined, and said why, when what was saved does not load: the one before runs on. */
  async #planAnew(): Promise<Plan | undefined> {
    try {
      return await this.#plan();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const text of error.problems) this.#printer.print({ kind: 'broken', text });
      this.#printer.print({ kind: 'broken', text: 'the version before it runs on' });
      return undefined;
    }
  }

  async #watched({ config }: Plan): Promise<() => Promise<string>> {
    const roots = new Set([config.path]);
    for (const { use } of config.strategies) {
      const file = await strategyFile(use, config.directory);
      if (!file.includes('node_modules')) roots.add(folderOf(file));
    }
    this.#printer.print({ kind: 'dev', text: `watching ${[...roots].join(', ')}` });
    return () => fileStamps([...roots]);
  }

  async #begin({ config, strategies }: Plan): Promise<Bot> {
    const { io, net, sandbox, options } = this.#parts;
    const secret = sandbox.sandbox.secret;
    const logger = await createLogger({
      level: options.debug ? 'debug' : 'silent',
      write: io.stderr,
      pretty: io.isTerminal,
      secrets: [secret],
      stacks: options.debug,
    });
    const bot = await createBot({
      config,
      strategies: strategies.all,
      baseUrl: sandbox.baseUrl,
      wsUrl: sandbox.wsUrl,
      secret: new SecretHolder(new Secret(secret)),
      stateDir: this.#stateDir,
      ports: { ...io, net, facts: nodeProcessFacts },
      logger,
      notice: this.#printer.note,
      watch: this.#printer.watch,
    });
    try {
      await Promise.race([bot.start(), bot.failed]);
      const { haltReason } = bot.engine;
      if (haltReason !== undefined) throw new StartError(`the run cannot begin: ${haltReason}`);
      if (!this.#released) sandbox.sandbox.release();
      this.#released = true;
      await bot.readTime();
      return bot;
    } catch (error) {
      await bot.close();
      throw error;
    }
  }

  /** What the life that ended adds to the summary. */
  #count(bot: Bot): RunSummary {
    const now = summarise(bot.engine, this.#startedAt, this.#stateDir);
    const past = this.#past;
    const sums = SUMMED.map((key) => [key, now[key] + (past?.[key] ?? 0)]);
    this.#past = {
      ...now,
      ...(Object.fromEntries(sums) as Pick<RunSummary, (typeof SUMMED)[number]>),
      first_fill_ms: past?.first_fill_ms ?? now.first_fill_ms,
    };
    return this.#past;
  }

  #conclude(bot: Bot): number {
    const { io, options } = this.#parts;
    const summary = this.#count(bot);
    if (options.json) io.stdout(`${JSON.stringify({ kind: 'summary', ...summary })}\n`);
    else {
      const text = summaryText(summary, bot.engine, { equity: [], colour: io.isTerminal });
      io.stdout(styled(text));
    }
    return bot.engine.reconciled ? EXIT.done : EXIT.failed;
  }

  #after(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.io.scheduler.after(delayMs, resolve);
    });
  }
}

const NEVER = new Promise<never>(() => undefined);

/** The first signal asks to stop, the second to leave at once. */
function stopSignal(io: Io): { first: Promise<void>; second: Promise<void>; forget: () => void } {
  let [onFirst, onSecond] = [(): void => undefined, (): void => undefined];
  const first = new Promise<void>((resolve) => (onFirst = resolve));
  const second = new Promise<void>((resolve) => (onSecond = resolve));
  let count = 0;
  const forget = io.onSignal((signal) => {
    count += 1;
    if (count > 1) onSecond();
    else io.stderr(`\nsluice: ${signal}: stopping (once more leaves at once)\n`);
    onFirst();
  });
  return { first, second, forget };
}
