import { loadStrategy } from '../../strategy/loader/loader.js';
import { StrategyLoadError } from '../../strategy/loader/load-error.js';
import { StrategyParamsError } from '../../strategy/contract/params-error.js';
import { parseParams } from '../../strategy/contract/params.js';
import type { SluiceConfig } from '../../config/config.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import { ConfigError } from '../../core/command-errors.js';
import type { LoadedStrategy } from './strategy-instances.js';

/**
 * Loads every strategy of a configuration. `fresh`: reads its files again, because they may have changed.
 * @throws ConfigError with all problems at their places
 */
export async function loadStrategies(
  config: SluiceConfig,
  fresh = false,
): Promise<readonly LoadedStrategy[]> {
  const problems: string[] = [];
  const loaded: LoadedStrategy[] = [];
  for (const [index, strategy] of config.strategies.entries()) {
    try {
      loaded.push(await loadConfiguredStrategy(config, strategy, fresh));
    } catch (error) {
      problems.push(...strategyProblems(error, config, index));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

/** Loads one strategy in this thread. @throws StrategyLoadError, StrategyParamsError */
export async function loadConfiguredStrategy(
  { directory }: SluiceConfig,
  strategy: StrategyConfig,
  fresh: boolean,
): Promise<LoadedStrategy> {
  const definition = await loadStrategy(strategy.use, { configDir: directory, fresh });
  const params = parseParams(definition, strategy.params);
  return { config: strategy, definition, params };
}

/** Problems of a strategy, at their places in the file. @throws any other error */
export function strategyProblems(
  error: unknown,
  config: SluiceConfig,
  index: number,
): readonly string[] {
  if (error instanceof StrategyLoadError) {
    return [
      `${config.locate(['strategies', index, 'use'])} strategies[${index}].use: ${error.message}`,
    ];
  }
  if (!(error instanceof StrategyParamsError)) throw error;
  return error.issues.map(({ path, message }) => {
    const place = config.locate(['strategies', index, 'params', ...path]);
    return `${place} ${[`strategies[${index}]`, 'params', ...path].join('.')}: ${message}`;
  });
}
