import type { Happening } from '../core/events.js';
import type { Price } from '../core/fixed.js';

/** What a run is told beside its candles, at its venue time. */
export interface MarketNews {
  /** Venue ms. */
  readonly at: number;
  readonly event: Extract<Happening, { readonly kind: 'seconds' | 'mark-candles' | 'funding' }>;
  /** USDT: where the last price is then. Absent: it does not move by it. */
  readonly last?: Price;
}

/** News in the order of their times; those of one time in the order in which they were given. */
export class NewsFeed {
  /** Venue ms of the next one; Infinity when all have been told. */
  nextAt: number;
  readonly #news: readonly MarketNews[];
  #told = 0;

  constructor(news: readonly MarketNews[] = []) {
    this.#news = [...news].sort((one, other) => one.at - other.at);
    this.nextAt = this.#news[0]?.at ?? Infinity;
  }

  /** The next one until then, this moment included; undefined when there is none. */
  take(untilMs: number): MarketNews | undefined {
    if (this.nextAt > untilMs) return undefined;
    const next = this.#news[this.#told];
    this.#told += 1;
    this.nextAt = this.#news[this.#told]?.at ?? Infinity;
    return next;
  }
}
