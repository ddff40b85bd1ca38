import { loadStrategy } from '../strategy/loader/loader.js';
import { StrategyLoadError } from '../strategy/loader/load-error.js';
import { parseParams, StrategyParamsError } from '../strategy/params.js';
import type { SluiceConfig, StrategyConfig } from './config.js';
import { ConfigError } from './failure.js';
import type { LoadedStrategy } from './seats.js';

/** Every strategy of a configuration; `fresh`: read anew, files may have changed. @throws ConfigError with all problems at their places */
export async function loadStrategies(
  config: SluiceConfig,
  fresh = false,
): Promise<readonly LoadedStrategy[]> {
  const problems: string[] = [];
  const loaded: LoadedStrategy[] = [];
  for (const [index, strategy] of config.strategies.entries()) {
    try {
      loaded.push(await loadConfigured(config, strategy, fresh));
    } catch (error) {
      problems.push(...strategyProblems(error, config, index));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

/** One of them, in this thread. @throws StrategyLoadError, StrategyParamsError */
export async function loadConfigured(
  { directory }: SluiceConfig,
  strategy: StrategyConfig,
  fresh: boolean,
): Promise<LoadedStrategy> {
  const definition = await loadStrategy(strategy.use, { configDir: directory, fresh });
  const params = parseParams(definition, strategy.params);
  return { config: strategy, definition, params };
}

/** What is wrong with a strategy, at its places in the file. @throws what is no problem of a strategy */
export function strategyProblems(
  error: unknown,
  config: SluiceConfig,
  index: number,
): readonly string[] {
  if (error instanceof StrategyLoadError) {
    return [
      `${config.where(['strategies', index, 'use'])} strategies[${index}].use: ${error.message}`,
    ];
  }
  if (!(error instanceof StrategyParamsError)) throw error;
  return error.issues.map(({ path, message }) => {
    const place = config.where(['strategies', index, 'params', ...path]);
    return `${place} ${[`strategies[${index}]`, 'params', ...path].join('.')}: ${message}`;
  });
}
