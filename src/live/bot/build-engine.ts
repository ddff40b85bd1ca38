import { Engine } from '../../engine/engine.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import type { SluiceConfig } from '../../config/config.js';
import {
  strategyInstancesOf,
  type StrategyInstanceInputs,
} from '../strategies/strategy-instances.js';
import { LIVE_BASE } from './market-data-feed.js';

/** Inputs of an engine, the same in a live run and in its replay. */
export interface EngineInputs extends StrategyInstanceInputs {
  readonly config: Pick<SluiceConfig, 'account' | 'venue' | 'riskSettings' | 'onDelisting'>;
}

export function buildEngine(
  inputs: EngineInputs,
  effects: ConstructorParameters<typeof Engine>[0]['effects'],
  recovered: Recovery,
): Engine {
  const { account, venue } = inputs.config;
  return new Engine({
    account,
    currency: venue.tradeCurrency,
    base: LIVE_BASE,
    strategies: strategyInstancesOf(inputs),
    gate: createGate(inputs.config.riskSettings),
    effects,
    recovered,
    onDelisting: inputs.config.onDelisting,
    fences: true,
    manualSession: inputs.operator !== undefined,
    ...(venue.inrRate !== undefined && { hedgeRate: venue.inrRate.value }),
  });
}
