import type { StrategyDefinition } from '../strategy/definition.js';
import { loadStrategy } from '../strategy/loader/loader.js';
import { parseParams, StrategyParamsError } from '../strategy/params.js';
import type { BacktestOptions } from './command-options.js';
import type { SluiceConfig, StrategyConfig } from './config.js';
import { ConfigError } from './failure.js';
import { strategyProblems } from './load-strategies.js';

const DEMO = 'sma-cross';

export interface ChosenStrategy {
  readonly use: string;
  readonly definition: StrategyDefinition;
  /** The configuration's, and over them the command line's. */
  readonly given: Readonly<Record<string, unknown>>;
  /** As the strategy's schema made them. */
  readonly params: unknown;
}

/** @throws StrategyLoadError, StrategyParamsError, or ConfigError where a file is to blame */
export async function chosenStrategy(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
  configured: StrategyConfig | undefined,
): Promise<ChosenStrategy> {
  const use = configured?.use ?? options.strategy ?? DEMO;
  const given = { ...configured?.params, ...options.params };
  try {
    const definition = await loadStrategy(use, { configDir: config?.directory ?? '.' });
    return { use, definition, given, params: parseParams(definition, given) };
  } catch (error) {
    if (config === undefined || configured === undefined || isTyped(error, options)) throw error;
    throw new ConfigError(strategyProblems(error, config, config.strategies.indexOf(configured)), {
      cause: error,
    });
  }
}

/** Every parameter that is wrong was given on the command line. */
const isTyped = (error: unknown, { params }: BacktestOptions): boolean =>
  error instanceof StrategyParamsError &&
  error.issues.every(({ path }) => Object.hasOwn(params, String(path[0])));
