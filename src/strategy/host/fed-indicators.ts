import type { Interval } from '../../core/interval.js';
import type { HostFedIndicator } from '../../market/indicators/indicator-feed.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';

interface FeedScope {
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Other available intervals; absent: any, and the requested ones become needs. */
  readonly only?: readonly Interval[];
}

/** Indicators of one instance that the host feeds, by symbol and interval. */
export class FedIndicators {
  readonly #scope: FeedScope;
  readonly #fed = new Map<string, Map<Interval, HostFedIndicator[]>>();
  readonly #needs = new Map<Interval, number>();
  #closed = false;

  constructor(scope: FeedScope) {
    this.#scope = scope;
  }

  /** Warm-up of all indicators, by interval. */
  get needs(): readonly WarmUpRequirement[] {
    return [...this.#needs].map(([interval, count]) => ({ interval, count }));
  }

  /** Registers an indicator. @throws RangeError for candles that the instance cannot have */
  readonly add = (one: HostFedIndicator): void => {
    const { symbols, interval: own, only } = this.#scope;
    const { interval = own, symbol = symbols[0] ?? '' } = one.feed;
    if (this.#closed)
      throw new RangeError(`${one.name}: fed indicators are made in create or intents, not later`);
    if (!symbols.includes(symbol))
      throw new RangeError(`${one.name}: ${symbol} is not a symbol of it (${symbols.join(', ')})`);
    if (interval !== own && only?.includes(interval) === false)
      throw new RangeError(`${one.name}: name ${interval} in intervals of the definition`);
    let byInterval = this.#fed.get(symbol);
    if (byInterval === undefined) this.#fed.set(symbol, (byInterval = new Map()));
    byInterval.set(interval, [...(byInterval.get(interval) ?? []), one]);
    this.#needs.set(interval, Math.max(one.warmup, this.#needs.get(interval) ?? 0));
  };

  /** Refuses every later indicator. */
  close(): void {
    this.#closed = true;
  }

  /** undefined where none is fed, so that a candle costs nothing. */
  of(symbol: string): ReadonlyMap<Interval, readonly HostFedIndicator[]> | undefined {
    return this.#fed.get(symbol);
  }
}
