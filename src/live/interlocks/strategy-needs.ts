import type { SluiceConfig } from '../../config/config.js';
import { StartError } from '../../core/command-errors.js';
import type { EffectSink } from '../../execution/effects.js';
import { recover } from '../../execution/recovery/recovery.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { StartThread } from '../../strategy/isolation/strategy-thread.js';
import { buildEngine } from '../bot/build-engine.js';
import { openStrategies } from '../strategies/open-strategies.js';

/** Candles that the strategies of a configuration need before they act, by symbol. */
export type StrategyNeeds = ReadonlyMap<string, readonly WarmUpRequirement[]>;

/**
 * Creates the strategies once to read their needs, and ends them. They get no event.
 * @throws ConfigError, StartError
 */
export async function strategyNeeds(
  config: SluiceConfig,
  startThread: StartThread | undefined,
): Promise<StrategyNeeds> {
  const strategies = await openStrategies(config, { startThread });
  try {
    const onFailed = (
      strategy: { config: { id: string } },
      { reason }: { reason: string },
    ): never => {
      throw new StartError(`strategy ${strategy.config.id} cannot be created: ${reason}`);
    };
    const inputs = { config, strategies: strategies.all, onFailed };
    const { hosts } = buildEngine(inputs, NO_EFFECTS, recover([], config.account));
    const symbols = new Set(hosts.flatMap((host) => host.symbols));
    return new Map(
      [...symbols].map((symbol) => [
        symbol,
        hosts.filter((host) => host.symbols.includes(symbol)).flatMap((host) => host.needs),
      ]),
    );
  } finally {
    await strategies.close();
  }
}

const NO_EFFECTS: EffectSink = {
  journaling: false,
  journal: () => undefined,
  requestPermit: () => undefined,
  send: () => undefined,
  timer: () => undefined,
  notify: () => undefined,
};
