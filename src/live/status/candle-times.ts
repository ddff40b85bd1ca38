import { closeTimeOf } from '../../core/interval.js';
import type {
  HostObserver,
  ObservedCandle,
  StrategyHost,
} from '../../strategy/host/strategy-host.js';

/** The last candle on which each strategy decided. */
export class CandleTimes implements HostObserver {
  readonly #closedAt = new Map<string, number>();

  onCandle({ id, interval }: StrategyHost, candle: ObservedCandle): void {
    if (!candle.isLive || !candle.isStarted) return;
    this.#closedAt.set(id, closeTimeOf(interval, candle.openTime));
  }

  onIntent(): void {
    // Intents are counted by the host.
  }

  onCandleHandled(): void {
    // The candle counts from its delivery on.
  }

  /** Venue ms of its close; undefined: none yet. */
  of(strategyId: string): number | undefined {
    return this.#closedAt.get(strategyId);
  }
}
