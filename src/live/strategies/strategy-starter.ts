import { loadConfig, type SluiceConfig } from '../../config/config.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import { UsageError } from '../../core/command-errors.js';
import type { EngineEventBody } from '../../core/events.js';
import type { Files } from '../../core/ports.js';
import { strategyRunKey } from '../../engine/replay.js';
import type { StartThread } from '../../strategy/isolation/strategy-thread.js';
import { StrategyLoadError } from '../../strategy/loader/load-error.js';
import type { Bot } from '../bot/bot.js';
import { loadConfiguredStrategy, strategyProblems } from './load-strategies.js';
import { openThread } from './open-strategies.js';
import type { LoadedStrategy, ThreadedStrategy } from './strategy-instances.js';

type OpenStrategy = LoadedStrategy | ThreadedStrategy;

export interface StrategyStarterParts {
  readonly config: SluiceConfig;
  readonly files: Files;
  /** Absent: all strategies run in this thread. */
  readonly startThread?: StartThread | undefined;
  readonly strategies: readonly OpenStrategy[];
}

/** A start that leaves everything as it was. */
export class StrategyStartError extends UsageError {}

/** Starts single strategies of a running bot again, with their code read anew. One start follows the other. */
export class StrategyStarter {
  /** Strategies of starts, by `strategyRunKey`. */
  readonly restarts = new Map<string, OpenStrategy>();
  readonly #parts: StrategyStarterParts;
  readonly #current: Map<string, OpenStrategy>;
  #runs = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: StrategyStarterParts) {
    this.#parts = parts;
    this.#current = new Map(parts.strategies.map((each) => [each.config.id, each]));
  }

  /**
   * Creates the strategy on trial, reads its warm-up, and then starts it in place of the former one.
   * @param reloads reads its `use` and `params` from the configuration file
   * @returns other keys of the strategy that have changed in the file: they wait for the next start of the bot
   * @throws StrategyStartError, ConfigError, VenueError: the strategy goes on as before
   */
  start(bot: Bot, id: string, reloads: boolean, reason: string): Promise<readonly string[]> {
    const next = this.#queue.then(() => this.#start(bot, id, reloads, reason));
    this.#queue = next.catch(() => undefined);
    return next;
  }

  /** Ends the threads of the starts. */
  async close(): Promise<void> {
    await Promise.all([...this.restarts.values()].map(closeThread));
  }

  async #start(bot: Bot, id: string, reloads: boolean, reason: string): Promise<readonly string[]> {
    const former = this.#current.get(id);
    if (former === undefined) throw new StrategyStartError(`no strategy ${id} is configured`);
    if (!bot.engine.areStrategiesStarted)
      throw new StrategyStartError(
        `no strategy is started yet: the mode is ${bot.engine.mode}. Wait for TRADING (\`sluice status\`), or end the kill switch (\`sluice resume\`)`,
      );
    const { config, spec, unapplied } = await this.#specOf(former.config, reloads);
    const warmUp = await this.#tryOut(bot, config, spec);
    const opened = await this.#open(config, spec);
    this.#runs += 1;
    const run = this.#runs;
    this.restarts.set(strategyRunKey(id, run), 'thread' in opened ? { ...opened, run } : opened);
    for (const event of warmUp) bot.push(event);
    const { use, params } = spec;
    const code = { use, params: JSON.stringify(params) };
    bot.command({ kind: 'start-strategy', strategy: id, run, ...code, reason });
    this.#current.set(id, opened);
    await bot.flushJournal();
    await closeThread(former);
    const host = bot.engine.hosts.find((each) => each.id === id);
    if (host?.state === 'running') return unapplied;
    const why = host?.errors.map(({ message }) => message).join('; ') ?? '';
    throw new StrategyStartError(
      `${id} is ${host?.state ?? 'absent'} after its start: ${why || 'the log of the daemon has the reason'}`,
    );
  }

  /** Its code and parameters. Other keys of the strategy change with a restart of the bot only. */
  async #specOf(
    former: StrategyConfig,
    reloads: boolean,
  ): Promise<{
    readonly config: SluiceConfig;
    readonly spec: StrategyConfig;
    readonly unapplied: readonly string[];
  }> {
    const { config, files } = this.#parts;
    if (!reloads) return { config, spec: former, unapplied: [] };
    const read = await loadConfig(config.path, files);
    const found = read.strategies.find(({ id }) => id === former.id);
    if (found === undefined)
      throw new StrategyStartError(
        `${config.path} names no strategy ${former.id} any more: \`sluice strategy stop ${former.id}\` stops it`,
      );
    const { use, params } = found;
    const spec = { ...former, use, params };
    return { config: read, spec, unapplied: changedKeys(spec, found) };
  }

  /** @returns its warm-up */
  async #tryOut(
    bot: Bot,
    config: SluiceConfig,
    spec: StrategyConfig,
  ): Promise<readonly EngineEventBody[]> {
    const trial = await this.#open(config, spec);
    try {
      const host = bot.tryStrategy(trial);
      const [fault] = host.errors;
      if (host.state === 'failed')
        throw new StrategyStartError(fault?.message ?? 'it cannot start');
      const former = bot.engine.hosts.find(({ id }) => id === spec.id);
      const missing = host.streams.find((stream) => former?.streams.includes(stream) !== true);
      if (missing !== undefined)
        throw new StrategyStartError(
          `${spec.id} now reads the stream ${missing}, which this run has not subscribed: restart the daemon`,
        );
      return await bot.warmUpOf(host);
    } catch (error) {
      throw error instanceof StrategyLoadError ? problemOf(error, config, spec.id) : error;
    } finally {
      await closeThread(trial);
    }
  }

  async #open(config: SluiceConfig, spec: StrategyConfig): Promise<OpenStrategy> {
    const { startThread } = this.#parts;
    try {
      return startThread === undefined || spec.isolation === 'none'
        ? await loadConfiguredStrategy(config, spec, true)
        : await openThread(config, spec, startThread);
    } catch (error) {
      throw problemOf(error, config, spec.id);
    }
  }
}

/** Keys of the file whose values differ. */
const changedKeys = (spec: StrategyConfig, found: StrategyConfig): readonly string[] =>
  Object.entries(FILE_KEYS).flatMap(([name, key]) => {
    const member = name as keyof typeof FILE_KEYS;
    return JSON.stringify(spec[member]) === JSON.stringify(found[member]) ? [] : [key];
  });

const FILE_KEYS = {
  symbols: 'symbols',
  interval: 'interval',
  leverage: 'leverage',
  size: 'size',
  protect: 'protect',
  entry: 'entry',
  apply: 'apply',
  onError: 'on_error',
  isolation: 'isolation',
  hookTimeoutMs: 'hook_timeout',
} as const satisfies Partial<Record<keyof StrategyConfig, string>>;

/** A fault of the code or of its parameters, at its place. @throws any other error */
function problemOf(error: unknown, config: SluiceConfig, id: string): StrategyStartError {
  const index = config.strategies.findIndex((each) => each.id === id);
  return new StrategyStartError(strategyProblems(error, config, index).join('\n'), {
    cause: error,
  });
}

const closeThread = async (strategy: OpenStrategy): Promise<void> => {
  if ('thread' in strategy) await strategy.thread.close();
};
