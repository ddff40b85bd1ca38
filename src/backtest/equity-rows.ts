/** The equity curve of a run, row by row, and the counts of its candles. */
export class EquityRows {
  /** Candles passed to the strategy, each of one symbol. */
  candles = 0;
  /** Candles in which another order of prices may change the result. */
  ambiguous = 0;
  readonly #times: Float64Array;
  readonly #equity: Float64Array;
  #count = 0;

  /** @param capacity most rows */
  constructor(capacity: number) {
    this.#times = new Float64Array(capacity);
    this.#equity = new Float64Array(capacity);
  }

  /** @param closeTime ms UTC */
  add(closeTime: number, equity: number): void {
    this.#times[this.#count] = closeTime;
    this.#equity[this.#count] = equity;
    this.#count += 1;
  }

  get times(): Float64Array {
    return this.#times.subarray(0, this.#count);
  }

  get equity(): Float64Array {
    return this.#equity.subarray(0, this.#count);
  }
}
