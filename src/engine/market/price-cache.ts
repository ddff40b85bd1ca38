import { fixedFromNumber, type Price } from '../../core/fixed/fixed.js';

/** A price as the gate and sizing use it. */
export interface ReferencePrice {
  readonly price: Price;
  /** Monotonic ms of its arrival. */
  readonly at: number;
}

/** Last and mark price of one symbol. Fields hold NaN while unset: V8 then stores them as unboxed numbers. */
export class SymbolPrice {
  last = NaN;
  mark = NaN;
  /** Monotonic ms. */
  lastAt = -Infinity;
  markAt = -Infinity;

  setLast(last: number, monotonic: number): void {
    this.last = last;
    this.lastAt = monotonic;
  }
}

/** Last and mark price of each symbol with their arrival times, from tickers and candles. */
export class PriceCache {
  readonly #prices = new Map<string, SymbolPrice>();

  /** The price of a symbol, for a caller that sets it often. */
  of(symbol: string): SymbolPrice {
    let price = this.#prices.get(symbol);
    if (price === undefined) this.#prices.set(symbol, (price = new SymbolPrice()));
    return price;
  }

  /** undefined: none has arrived. */
  find(symbol: string): Readonly<SymbolPrice> | undefined {
    return this.#prices.get(symbol);
  }

  setLast(symbol: string, last: number, monotonic: number): void {
    this.of(symbol).setLast(last, monotonic);
  }

  setMark(symbol: string, mark: number, monotonic: number): void {
    const price = this.of(symbol);
    price.mark = mark;
    price.markAt = monotonic;
  }

  last(symbol: string): number | undefined {
    const last = this.#prices.get(symbol)?.last;
    return Number.isNaN(last) ? undefined : last;
  }

  lastPrice(symbol: string): ReferencePrice | undefined {
    const price = this.#prices.get(symbol);
    return price === undefined ? undefined : reference(price.last, price.lastAt);
  }

  markPrice(symbol: string): ReferencePrice | undefined {
    const price = this.#prices.get(symbol);
    return price === undefined ? undefined : reference(price.mark, price.markAt);
  }
}

/** A price of 0 or below is invalid. */
const reference = (price: number, at: number): ReferencePrice | undefined =>
  price > 0 ? { price: fixedFromNumber(price), at } : undefined;
