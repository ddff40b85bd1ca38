import type { Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { DurableStateHandle } from '../host/durable-state.js';
import type { OptionalEventKind, StrategyAdapter } from './strategy-adapter.js';
import type { StrategyEvent } from './strategy-event.js';

/**
 * Replays a strategy that once did not answer a call: neither that call nor a later one is made.
 * Calls are counted as `WorkerStrategyProxy` counts them.
 */
export class TruncatedAdapter implements StrategyAdapter {
  readonly isStream: boolean;
  readonly intervals: readonly Interval[];
  readonly needs: readonly WarmUpRequirement[];
  readonly subscriptions: ReadonlySet<OptionalEventKind>;
  readonly #adapter: StrategyAdapter;
  readonly #stopAtCall: number;
  #calls = 0;

  /** @param stopAtCall the first call that is not made, from 1 */
  constructor(adapter: StrategyAdapter, stopAtCall: number) {
    this.isStream = adapter.isStream;
    this.intervals = adapter.intervals;
    this.needs = adapter.needs;
    this.subscriptions = adapter.subscriptions;
    this.#adapter = adapter;
    this.#stopAtCall = stopAtCall;
  }

  states(symbol?: string): readonly DurableStateHandle[] {
    return this.#calls < this.#stopAtCall ? this.#adapter.states(symbol) : [];
  }
  closeAt(symbol: string, closedAt: number): number | undefined {
    return this.#adapter.closeAt(symbol, closedAt);
  }
  close(): void {
    this.#adapter.close();
  }

  open(): void {
    if (this.#nextCallAllowed()) this.#adapter.open();
  }
  start(): void {
    if (this.#nextCallAllowed()) this.#adapter.start();
  }
  onCandle(symbol: string, interval: Interval, candles: CandleColumns, index: number): void {
    if (this.#nextCallAllowed()) this.#adapter.onCandle(symbol, interval, candles, index);
  }
  handle(event: StrategyEvent): void {
    if (this.#nextCallAllowed()) this.#adapter.handle(event);
  }
  stop(): void {
    if (this.#nextCallAllowed()) this.#adapter.stop();
  }

  #nextCallAllowed(): boolean {
    this.#calls += 1;
    return this.#calls < this.#stopAtCall;
  }
}
