import type { RowTimes } from '../report/statistics/equity-curve.js';

/** The equity curve of a run, row by row, and the counts of its candles. */
export class EquityRows {
  /** Candles passed to the strategy, each of one symbol. */
  candles = 0;
  /** Candles in which another order of prices may change the result. */
  ambiguous = 0;
  readonly #expected: RowTimes;
  /** undefined: every row so far has its expected time. */
  #times: Float64Array | undefined;
  readonly #equity: Float64Array;
  #count = 0;

  /**
   * @param capacity most rows
   * @param expected times of the rows of most runs: close times of the candles of one symbol
   */
  constructor(capacity: number, expected: RowTimes) {
    this.#expected = expected;
    this.#equity = new Float64Array(capacity);
  }

  /** @param closeTime ms UTC */
  add(closeTime: number, equity: number): void {
    if (this.#times === undefined && this.#expected.at(this.#count) !== closeTime)
      this.#times = this.#ownTimes();
    if (this.#times !== undefined) this.#times[this.#count] = closeTime;
    this.#equity[this.#count] = equity;
    this.#count += 1;
  }

  get times(): RowTimes {
    return (this.#times ?? this.#expected).subarray(0, this.#count);
  }

  get equity(): Float64Array {
    return this.#equity.subarray(0, this.#count);
  }

  #ownTimes(): Float64Array {
    const times = new Float64Array(this.#equity.length);
    for (let row = 0; row < this.#count; row += 1) times[row] = this.#expected.at(row) as number;
    return times;
  }
}
