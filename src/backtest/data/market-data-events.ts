import type { EngineEventBody } from '../../core/events.js';
import type { Price } from '../../core/fixed/fixed.js';

/** Market data other than closed candles, at its venue time. */
export interface MarketDataEvent {
  /** Venue ms. */
  readonly at: number;
  readonly event: Extract<
    EngineEventBody,
    { readonly kind: 'seconds' | 'mark-candles' | 'funding' }
  >;
  /** The new last price in USDT. Absent: the event does not move the price. */
  readonly last?: Price;
}

/** Events by time; events of the same time keep their order. */
export class MarketDataEventQueue {
  /** Venue ms of the next event; Infinity at the end. */
  nextAt: number;
  readonly #events: readonly MarketDataEvent[];
  #position = 0;

  constructor(events: readonly MarketDataEvent[] = []) {
    this.#events = [...events].sort((one, other) => one.at - other.at);
    this.nextAt = this.#events[0]?.at ?? Infinity;
  }

  /** Takes the next event at or before `untilMs`; undefined if there is none. */
  next(untilMs: number): MarketDataEvent | undefined {
    if (this.nextAt > untilMs) return undefined;
    const next = this.#events[this.#position];
    this.#position += 1;
    this.nextAt = this.#events[this.#position]?.at ?? Infinity;
    return next;
  }
}
