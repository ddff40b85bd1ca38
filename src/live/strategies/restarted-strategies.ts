import type { SluiceConfig } from '../../config/config.js';
import type { EngineEvent } from '../../core/events.js';
import { strategyRunKey } from '../../engine/replay.js';
import { loadConfiguredStrategy } from './load-strategies.js';
import type { LoadedStrategy } from './strategy-instances.js';

/**
 * Loads the strategies that a recorded session started while it ran, with the parameters of each start. Their code
 * is that of now.
 * @throws StrategyLoadError, StrategyParamsError
 */
export async function loadRestartedStrategies(
  config: SluiceConfig,
  events: readonly EngineEvent[],
): Promise<ReadonlyMap<string, LoadedStrategy>> {
  const restarts = new Map<string, LoadedStrategy>();
  for (const event of events) {
    if (event.kind !== 'command' || event.command.kind !== 'start-strategy') continue;
    const { strategy, run, use, params } = event.command;
    const spec = config.strategies.find(({ id }) => id === strategy);
    if (spec === undefined || run === undefined) continue;
    const code = {
      ...spec,
      ...(use !== undefined && { use }),
      ...(params !== undefined && {
        params: JSON.parse(params) as Readonly<Record<string, unknown>>,
      }),
    };
    restarts.set(strategyRunKey(strategy, run), await loadConfiguredStrategy(config, code, false));
  }
  return restarts;
}
