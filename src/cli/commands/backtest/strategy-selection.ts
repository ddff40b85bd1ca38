import type { StrategyDefinition } from '../../../strategy/contract/definition.js';
import { loadStrategyFile } from '../../../strategy/loader/loader.js';
import { strategySources, type StrategySource } from '../../../strategy/loader/source-files.js';
import { StrategyParamsError } from '../../../strategy/contract/params-error.js';
import { parseParams } from '../../../strategy/contract/params.js';
import type { BacktestOptions } from './backtest-options.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { StrategyConfig } from '../../../config/config-strategy.js';
import { ConfigError } from '../../../core/command-errors.js';
import { strategyProblems } from '../../../live/strategies/load-strategies.js';

const DEMO = 'sma-cross';

export interface SelectedStrategy {
  readonly use: string;
  readonly definition: StrategyDefinition;
  /** Its own code, the file of the strategy first. */
  readonly files: readonly StrategySource[];
  /** The parameters of the configuration, overridden by those of the command line. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The parameters as the strategy's schema parsed them. */
  readonly params: unknown;
}

/**
 * @param onCode called before the code of its file runs
 * @throws StrategyLoadError, StrategyParamsError, or ConfigError when the configuration is wrong
 */
export async function selectStrategy(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
  configured: StrategyConfig | undefined,
  onCode?: () => void,
): Promise<SelectedStrategy> {
  const use = configured?.use ?? options.strategy ?? DEMO;
  const given = { ...configured?.params, ...options.params };
  try {
    const configDir = config?.directory ?? '.';
    const { definition, file } = await loadStrategyFile(use, {
      configDir,
      ...(onCode !== undefined && { onCode }),
    });
    const params = parseParams(definition, given);
    return { use, definition, files: await strategySources(file), given, params };
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
