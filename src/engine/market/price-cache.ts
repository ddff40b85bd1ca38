import { fixedFromNumber, type Price } from '../../core/fixed/fixed.js';

interface SymbolPrice {
  last: number | undefined;
  mark: number | undefined;
  /** Monotonic ms. */
  lastAt: number;
  markAt: number;
}

/** A price as the gate and sizing use it. */
export interface ReferencePrice {
  readonly price: Price;
  /** Monotonic ms of its arrival. */
  readonly at: number;
}

/** Last and mark price of each symbol with their arrival times, from tickers and candles. */
export class PriceCache {
  readonly #prices = new Map<string, SymbolPrice>();

  setLast(symbol: string, last: number, monotonic: number): void {
    const price = this.#of(symbol);
    price.last = last;
    price.lastAt = monotonic;
  }

  setMark(symbol: string, mark: number, monotonic: number): void {
    const price = this.#of(symbol);
    price.mark = mark;
    price.markAt = monotonic;
  }

  last(symbol: string): number | undefined {
    return this.#prices.get(symbol)?.last;
  }

  lastPrice(symbol: string): ReferencePrice | undefined {
    const price = this.#prices.get(symbol);
    return price === undefined ? undefined : reference(price.last, price.lastAt);
  }

  markPrice(symbol: string): ReferencePrice | undefined {
    const price = this.#prices.get(symbol);
    return price === undefined ? undefined : reference(price.mark, price.markAt);
  }

  #of(symbol: string): SymbolPrice {
    let price = this.#prices.get(symbol);
    if (price === undefined) {
      price = { last: undefined, mark: undefined, lastAt: -Infinity, markAt: -Infinity };
      this.#prices.set(symbol, price);
    }
    return price;
  }
}

/** A price of 0 or below is invalid. */
const reference = (price: number | undefined, at: number): ReferencePrice | undefined =>
  price === undefined || !(price > 0) ? undefined : { price: fixedFromNumber(price), at };
