import type { Interval } from '../../core/interval.js';
import type { HostFed } from '../../market/indicators/feed.js';
import type { WarmUpNeed } from '../../market/warm-up.js';

interface FeedScope {
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Other intervals that candles may be had of; absent: any, and what is asked for is noted. */
  readonly only?: readonly Interval[];
}

/** The indicators of one instance that are fed by the host, by symbol and interval. */
export class FedIndicators {
  readonly #scope: FeedScope;
  readonly #fed = new Map<string, Map<Interval, HostFed[]>>();
  readonly #needs = new Map<Interval, number>();
  #closed = false;

  constructor(scope: FeedScope) {
    this.#scope = scope;
  }

  /** How many candles of each interval warm them all up. */
  get needs(): readonly WarmUpNeed[] {
    return [...this.#needs].map(([interval, count]) => ({ interval, count }));
  }

  /** Given to the maker of indicators. @throws RangeError for candles that the instance cannot have */
  readonly add = (one: HostFed): void => {
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

  /** No more are taken. */
  close(): void {
    this.#closed = true;
  }

  /** undefined where none is fed, so that nothing is done a candle. */
  of(symbol: string): ReadonlyMap<Interval, readonly HostFed[]> | undefined {
    return this.#fed.get(symbol);
  }
}
