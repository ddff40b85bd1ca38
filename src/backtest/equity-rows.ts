import type { Interval } from '../core/interval.js';
import { CloseTimes } from './close-times.js';

/** The equity curve of a run, row by row, and the counts of its candles. */
export class EquityRows {
  /** Candles passed to the strategy, each of one symbol. */
  candles = 0;
  /** Candles in which another order of prices may change the result. */
  ambiguous = 0;
  readonly #expected: Float64Array;
  readonly #interval: Interval;
  /** Open times of the candles; undefined: every row so far has its expected one. */
  #openTimes: Float64Array | undefined;
  readonly #equity: Float64Array;
  #count = 0;

  /**
   * @param capacity most rows
   * @param expected open times of the candles of most runs: those of one symbol
   */
  constructor(capacity: number, expected: Float64Array, interval: Interval) {
    this.#expected = expected;
    this.#interval = interval;
    this.#equity = new Float64Array(capacity);
  }

  /**
   * @param openTime of the candles that have closed, ms UTC
   * @param equity at their close
   */
  add(openTime: number, equity: number): void {
    const row = this.#count;
    if (this.#openTimes === undefined && this.#expected[row] !== openTime)
      this.#openTimes = this.#ownTimes();
    if (this.#openTimes !== undefined) this.#openTimes[row] = openTime;
    this.#equity[row] = equity;
    this.#count = row + 1;
  }

  /** Close times. */
  get times(): CloseTimes {
    const openTimes = this.#openTimes ?? this.#expected;
    return new CloseTimes(openTimes.subarray(0, this.#count), this.#interval);
  }

  get equity(): Float64Array {
    return this.#equity.subarray(0, this.#count);
  }

  #ownTimes(): Float64Array {
    const times = new Float64Array(this.#equity.length);
    times.set(this.#expected.subarray(0, this.#count));
    return times;
  }
}
