import type { StrategyDefinition } from '../../../strategy/contract/definition.js';
import { loadStrategy } from '../../../strategy/loader/loader.js';
import { parseParams, StrategyParamsError } from '../../../strategy/contract/params.js';
import type { BacktestOptions } from './backtest-options.js';
import type { SluiceConfig, StrategyConfig } from '../../../config/config.js';
import { ConfigError } from '../../../core/command-errors.js';
import { strategyProblems } from '../../../live/strategies/load-strategies.js';

const DEMO = 'sma-cross';

export interface SelectedStrategy {
  readonly use: string;
  readonly definition: StrategyDefinition;
  /** The parameters of the configuration, overridden by those of the command line. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The parameters as the strategy's schema parsed them. */
  readonly params: unknown;
}

/** @throws StrategyLoadError, StrategyParamsError, or ConfigError when the configuration is wrong */
export async function selectStrategy(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
  configured: StrategyConfig | undefined,
): Promise<SelectedStrategy> {
  const use = configured?.use ?? options.strategy ?? DEMO;
  const given = { ...configured?.params, ...options.params };
  try {
    const definition = await loadStrategy(use, { configDir: config?.directory ?? '.' });
    return { use, definition, given, params: parseParams(definition, given) };
  } catch (error) {
    if (config === undefined || configured === undefined || isFromCommandLine(error, options))
      throw error;
    throw new ConfigError(strategyProblems(error, config, config.strategies.indexOf(configured)), {
      cause: error,
    });
  }
}

/** Every wrong parameter was given on the command line. */
const isFromCommandLine = (error: unknown, { params }: BacktestOptions): boolean =>
  error instanceof StrategyParamsError &&
  error.issues.every(({ path }) => Object.hasOwn(params, String(path[0])));
