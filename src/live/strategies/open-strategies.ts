import type { SluiceConfig } from '../../config/config.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import { ConfigError } from '../../core/command-errors.js';
import { loadConfiguredStrategy, strategyProblems } from './load-strategies.js';
import type { StartThread } from '../../strategy/isolation/strategy-thread.js';
import type { LoadedStrategy, ThreadedStrategy } from './strategy-instances.js';

/** The strategies of a run, until it is over. */
export interface OpenStrategies {
  readonly all: readonly (LoadedStrategy | ThreadedStrategy)[];
  /** Ends their threads. */
  close(): Promise<void>;
}

interface OpenStrategiesOptions {
  /** Absent: all strategies run in this thread. */
  readonly startThread?: StartThread | undefined;
  /** Reads their files again, because they may have changed. */
  readonly fresh?: boolean;
}

/**
 * Opens every strategy of a configuration, each on its own thread unless its `isolation` is `none`.
 * @throws ConfigError with all problems at their places
 */
export async function openStrategies(
  config: SluiceConfig,
  { startThread, fresh = false }: OpenStrategiesOptions,
): Promise<OpenStrategies> {
  const open = (strategy: StrategyConfig): Promise<LoadedStrategy | ThreadedStrategy> =>
    startThread === undefined || strategy.isolation === 'none'
      ? loadConfiguredStrategy(config, strategy, fresh)
      : openThread(config, strategy, startThread);
  const outcomes = await Promise.allSettled(config.strategies.map(open));
  const all = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(all.flatMap((each) => ('thread' in each ? [each.thread.close()] : [])));
  };
  if (all.length === outcomes.length) return { all, close };
  await close();
  throw new ConfigError(
    outcomes.flatMap((each, index) =>
      each.status === 'rejected' ? strategyProblems(each.reason, config, index) : [],
    ),
  );
}

/** Loads one strategy on a thread of its own. @throws StrategyLoadError, StrategyParamsError */
export async function openThread(
  { directory }: SluiceConfig,
  config: StrategyConfig,
  startThread: StartThread,
): Promise<ThreadedStrategy> {
  const { use, params } = config;
  return { config, thread: await startThread({ use, params, configDir: directory }) };
}
