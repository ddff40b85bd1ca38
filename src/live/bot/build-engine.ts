import { Engine, type StrategyInstance } from '../../engine/engine.js';
import { strategyRunKey } from '../../engine/replay.js';
import type { Recovery } from '../../execution/recovery/recovery.js';
import { createGate } from '../../risk/gate.js';
import type { SluiceConfig } from '../../config/config.js';
import {
  strategyInstancesOf,
  type LoadedStrategy,
  type StrategyInstanceInputs,
  type ThreadedStrategy,
} from '../strategies/strategy-instances.js';
import { LIVE_BASE } from './live-base.js';

/** Inputs of an engine, the same in a live run and in its replay. */
export interface EngineInputs extends StrategyInstanceInputs {
  readonly config: Pick<SluiceConfig, 'account' | 'venue' | 'riskSettings' | 'onDelisting'>;
  /** Strategies that are started while the engine runs, by `strategyRunKey`. */
  readonly restarts?: ReadonlyMap<string, LoadedStrategy | ThreadedStrategy>;
  /** Absent: the default of `EngineOptions`. */
  readonly keptEndedOrders?: number;
}

/** The strategy of one start, as its engine creates it. */
export function restartedInstance(
  inputs: EngineInputs,
  strategy: LoadedStrategy | ThreadedStrategy,
  stopAtCall?: number,
): StrategyInstance | undefined {
  const stopAtCalls = stopAtCall !== undefined && {
    stopAtCalls: new Map([[strategy.config.id, stopAtCall]]),
  };
  const { stopAtCalls: _all, ...rest } = inputs;
  return strategyInstancesOf({ ...rest, ...stopAtCalls, strategies: [strategy] })[0];
}

export function buildEngine(
  inputs: EngineInputs,
  effects: ConstructorParameters<typeof Engine>[0]['effects'],
  recovered: Recovery,
): Engine {
  const { keptEndedOrders } = inputs;
  const { account, venue } = inputs.config;
  return new Engine({
    account,
    currency: venue.tradeCurrency,
    base: LIVE_BASE,
    strategies: strategyInstancesOf(inputs),
    restart: (strategy, run) => {
      const key = strategyRunKey(strategy, run);
      const found = inputs.restarts?.get(key);
      return found && restartedInstance(inputs, found, inputs.stopAtCalls?.get(key));
    },
    gate: createGate(inputs.config.riskSettings),
    effects,
    recovered,
    onDelisting: inputs.config.onDelisting,
    fences: true,
    manualSession: inputs.operator !== undefined,
    ...(keptEndedOrders !== undefined && { keptEndedOrders }),
    ...(venue.inrRate !== undefined && { hedgeRate: venue.inrRate }),
  });
}
