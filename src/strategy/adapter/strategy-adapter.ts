import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { DurableStateHandle } from '../host/durable-state.js';
import type { StrategyEvent, StrategyEventKind } from './strategy-event.js';

/** Events that are dispatched on demand only, because their causes and views take time to make. */
export type OptionalEventKind = Extract<
  StrategyEventKind,
  'candles-synced' | 'ticker' | 'fill' | 'order-ended' | 'position-changed'
>;

/** The strategy's code as the host drives it: the same for hooks, streams and code on a worker. */
export interface StrategyAdapter {
  /** The code is an Observable of intents, not a set of hooks. */
  readonly isStream: boolean;
  /** Intervals beside the strategy's own, longest first. */
  readonly intervals: readonly Interval[];
  /** Warm-up of each interval, the own one among them. */
  readonly needs: readonly WarmUpRequirement[];
  readonly subscriptions: ReadonlySet<OptionalEventKind>;
  /** Durable states that an event of this symbol may have changed; without a symbol, all. */
  states(symbol?: string): readonly DurableStateHandle[];
  /** Close of the symbol's candle that closed then; undefined where there is none. */
  closeAt(symbol: string, closedAt: number): number | undefined;
  /** Precedes every other call, those with history included. @throws what the strategy throws */
  open(): void;
  /** Orders may be placed from here on. @throws what the strategy throws */
  start(): void;
  /** @throws what the strategy throws */
  onCandle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void;
  /** @throws what the strategy throws */
  handle(event: StrategyEvent): void;
  /** @throws what the strategy throws */
  stop(): void;
  /** No code of the strategy runs after it. */
  close(): void;
}
