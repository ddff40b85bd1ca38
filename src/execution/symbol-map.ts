import type { Currency } from '../core/currency.js';

/** One value for each symbol and currency. A read builds no key, since an order has dozens of reads. */
export class SymbolMap<Value> {
  readonly #byCurrency: Readonly<Record<Currency, Map<string, Value>>> = {
    USDT: new Map(),
    INR: new Map(),
  };
  readonly #values: Value[] = [];

  get(symbol: string, currency: Currency): Value | undefined {
    return this.#byCurrency[currency].get(symbol);
  }

  /** The value; on the first call for the symbol and currency a new one, which stays. */
  getOrAdd(symbol: string, currency: Currency, create: () => Value): Value {
    const values = this.#byCurrency[currency];
    const known = values.get(symbol);
    if (known !== undefined) return known;
    const value = create();
    values.set(symbol, value);
    this.#values.push(value);
    return value;
  }

  /** In the order of their first call. */
  get values(): readonly Value[] {
    return this.#values;
  }
}
