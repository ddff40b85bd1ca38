import { leverageFailureOf, startFailureOf } from '../../../engine/start-failure.js';
import { dirname } from 'node:path';
import { Secret, SecretHolder } from '../../../venue/futures-api/http/secret.js';
import { styled } from '../../../core/terminal-text.js';
import type { NodeNet } from '../../../io/net/node-net.js';
import { strategyFile } from '../../../strategy/loader/loader-files.js';
import type { Bot } from '../../../live/bot/bot.js';
import { usesColour, type Io } from '../../command-io.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { EmbeddedSandbox } from '../../../live/embedded-sandbox.js';
import { EXIT } from '../../../core/exit-code.js';
import { ConfigError, StartError } from '../../../core/command-errors.js';
import { openStrategies, type OpenStrategies } from '../../../live/strategies/open-strategies.js';
import { createLogger } from '../../../live/log/logger.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { summarise, type RunSummary } from '../../../live/summary/run-summary.js';
import { summaryText } from '../../../live/summary/run-summary-text.js';
import { createBot } from '../../../live/bot/create-bot.js';
import type { DevOptions } from './dev-options.js';
import { DevPrinter } from './dev-printer.js';
import { FileWatcher } from './file-watcher.js';
import { listenForStop } from '../../stop-signal.js';

export interface DevParts {
  readonly options: DevOptions;
  readonly io: Io;
  readonly net: NodeNet;
  readonly sandbox: EmbeddedSandbox;
  /** Reads the current configuration, with the sandbox as its venue. @throws ConfigError */
  readonly readConfig: () => Promise<SluiceConfig>;
}

interface LoadedProject {
  readonly config: SluiceConfig;
  readonly strategies: OpenStrategies;
}

/** Counts that add up over all runs of the bot. */
const CUMULATIVE_COUNTS = [
  'orders_placed',
  'orders_filled',
  'intents',
  'refused',
  'rejected',
  'dropped',
] as const;

/**
 * Consecutive runs of a bot on one sandbox. Each save stops the bot and starts the next one, as a restart
 * does, so that the bot behaves here as it behaves live.
 */
export class DevSession {
  readonly #parts: DevParts;
  readonly #printer: DevPrinter;
  readonly #startedAt: number;
  readonly #stateDir: string;
  #previousSummary: RunSummary | undefined;
  #isReleased = false;
  readonly #openStrategies = new Set<OpenStrategies>();

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
      await Promise.all([...this.#openStrategies].map((strategies) => strategies.close()));
    }
  }

  async #session(): Promise<number> {
    const { io, options } = this.#parts;
    let project = await this.#load();
    const watcher = new FileWatcher(await this.#watchedPaths(project), io.scheduler);
    await watcher.start();
    const stop = listenForStop(io);
    const ended = options.durationMs === undefined ? NEVER : this.#delay(options.durationMs);
    let bot = await this.#startBot(project);
    try {
      for (;;) {
        const what = await Promise.race([
          stop.first.then(() => 'stop' as const),
          ended.then(() => 'stop' as const),
          watcher.nextChange().then(() => 'changed' as const),
          bot.halted.then(() => 'halted' as const),
          bot.failed,
        ]);
        if (what === 'halted') throw new StartError(`trading was halted: ${bot.engine.haltReason}`);
        if (what === 'stop') break;
        const reloaded = await this.#reload();
        if (reloaded === undefined) continue;
        await bot.stop(options.onReload === 'keep' ? 'keep' : 'flatten');
        this.#accumulate(bot);
        await project.strategies.close();
        project = reloaded;
        bot = await this.#startBot(project);
        const positionText =
          options.onReload === 'keep' ? 'its position is kept' : 'its position was closed';
        this.#printer.print({
          kind: 'reloaded',
          text: `running the saved version; ${positionText}`,
        });
      }
      await Promise.race([bot.stop(project.config.onStop), stop.second]);
      return this.#finish(bot);
    } finally {
      watcher.stop();
      stop.removeListener();
      await bot.close();
    }
  }

  async #load(): Promise<LoadedProject> {
    const config = await this.#parts.readConfig();
    const { startThread } = this.#parts.io;
    const strategies = await openStrategies(config, { startThread, fresh: true });
    this.#openStrategies.add(strategies);
    return { config, strategies };
  }

  /** Prints the problems and returns undefined when the saved version does not load. */
  async #reload(): Promise<LoadedProject | undefined> {
    try {
      return await this.#load();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const text of error.problems) this.#printer.print({ kind: 'broken', text });
      this.#printer.print({ kind: 'broken', text: 'the previous version keeps running' });
      return undefined;
    }
  }

  /** The configuration, and the folder of each strategy, which also holds the files it imports. */
  async #watchedPaths({ config }: LoadedProject): Promise<readonly string[]> {
    const roots = new Set([config.path]);
    for (const { use } of config.strategies) {
      const file = await strategyFile(use, config.directory);
      if (!file.includes('node_modules')) roots.add(dirname(file));
    }
    this.#printer.print({ kind: 'dev', text: `watching ${[...roots].join(', ')}` });
    return [...roots];
  }

  async #startBot({ config, strategies }: LoadedProject): Promise<Bot> {
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
      notice: this.#printer.onNote,
      observer: this.#printer.hostObserver,
    });
    try {
      await Promise.race([bot.start(), bot.failed]);
      const failure = startFailureOf(bot.engine) ?? leverageFailureOf(bot.engine);
      if (failure !== undefined) throw new StartError(`the run cannot begin: ${failure}`);
      if (!this.#isReleased) sandbox.sandbox.release();
      this.#isReleased = true;
      await bot.readTime();
      return bot;
    } catch (error) {
      await bot.close();
      throw error;
    }
  }

  /** Adds the counts of the stopped bot to the summary. */
  #accumulate(bot: Bot): RunSummary {
    const now = summarise(bot.engine, this.#startedAt, this.#stateDir);
    const previous = this.#previousSummary;
    const sums = CUMULATIVE_COUNTS.map((key) => [key, now[key] + (previous?.[key] ?? 0)]);
    this.#previousSummary = {
      ...now,
      ...(Object.fromEntries(sums) as Pick<RunSummary, (typeof CUMULATIVE_COUNTS)[number]>),
      first_fill_ms: previous?.first_fill_ms ?? now.first_fill_ms,
    };
    return this.#previousSummary;
  }

  #finish(bot: Bot): number {
    const { io, options } = this.#parts;
    const summary = this.#accumulate(bot);
    if (options.json) io.stdout(`${JSON.stringify({ kind: 'summary', ...summary })}\n`);
    else {
      const text = summaryText(summary, bot.engine, { equity: [], colour: usesColour(io) });
      io.stdout(styled(text));
    }
    return bot.engine.isReconciled ? EXIT.done : EXIT.failed;
  }

  #delay(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.io.scheduler.after(delayMs, resolve);
    });
  }
}

const NEVER = new Promise<never>(() => undefined);
