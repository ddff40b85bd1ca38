import type { Currency } from '../../core/currency.js';

/** At most one value for each currency: each order looks several up, and a position enters and leaves it. */
export class PerCurrency<Value> {
  #usdt: Value | undefined;
  #inr: Value | undefined;
  #isInrFirst = false;

  get size(): number {
    return (this.#usdt === undefined ? 0 : 1) + (this.#inr === undefined ? 0 : 1);
  }

  get(currency: Currency): Value | undefined {
    return currency === 'USDT' ? this.#usdt : this.#inr;
  }

  has(currency: Currency): boolean {
    return this.get(currency) !== undefined;
  }

  set(currency: Currency, value: Value): void {
    if (currency === 'USDT') {
      if (this.#usdt === undefined) this.#isInrFirst = this.#inr !== undefined;
      this.#usdt = value;
    } else {
      if (this.#inr === undefined) this.#isInrFirst = this.#usdt === undefined;
      this.#inr = value;
    }
  }

  delete(currency: Currency): void {
    if (currency === 'USDT') this.#usdt = undefined;
    else this.#inr = undefined;
  }

  /** In the order in which they came. */
  values(): readonly Value[] {
    const [usdt, inr] = [this.#usdt, this.#inr];
    if (usdt === undefined) return inr === undefined ? NONE : [inr];
    if (inr === undefined) return [usdt];
    return this.#isInrFirst ? [inr, usdt] : [usdt, inr];
  }
}

const NONE: readonly never[] = [];
