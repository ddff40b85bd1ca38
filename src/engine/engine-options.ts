import type { Currency } from '../core/currency.js';
import type { Interval } from '../core/interval.js';
import type { EffectSink } from '../execution/effects.js';
import type { Recovery } from '../execution/recovery/recovery.js';
import type { DelistingPolicy } from '../risk/delisting-policy.js';
import type { Gate } from '../risk/gate.js';
import type { ConfiguredHedgeRate } from './account/hedge-rate.js';
import type { StrategyInstance } from './engine-strategy-port.js';

export interface EngineOptions {
  /** Names the journal; part of every client order id. */
  readonly account: string;
  readonly currency: Currency;
  /** Interval of the incoming candles. */
  readonly base: Interval;
  readonly strategies: readonly StrategyInstance[];
  readonly gate: Gate;
  readonly effects: EffectSink;
  /** Whether the id of an order that never landed may be consumed by a harmless order. Default: no. */
  readonly fences?: boolean;
  readonly hedgeRate?: ConfiguredHedgeRate;
  /** Strategies of starts while the engine runs, by id and number (`start-strategy`). */
  readonly restart?: (strategy: string, run: number) => StrategyInstance | undefined;
  /** State that previous runs left in the journal. */
  readonly recovered?: Recovery;
  /** Treatment of a held position whose instrument is delisted. Default: closed after a day. */
  readonly onDelisting?: DelistingPolicy;
  /** Ended orders of a daemon that stay whole in memory; nothing that it does depends on it. Default: 200. */
  readonly keptEndedOrders?: number;
  /** A session of an operator: it leaves a flatten of a previous run to the next run. */
  readonly manualSession?: boolean;
}
