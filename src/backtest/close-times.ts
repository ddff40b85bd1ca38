import { closeTimeOf, type Interval } from '../core/interval.js';
import type { RowTimes } from '../report/statistics/equity-curve.js';

/** Close times of candles, computed from their open times: a column of its own would cost more than the engine's call. */
export class CloseTimes implements RowTimes {
  readonly #openTimes: Float64Array;
  readonly #interval: Interval;

  constructor(openTimes: Float64Array, interval: Interval) {
    this.#openTimes = openTimes;
    this.#interval = interval;
  }

  get length(): number {
    return this.#openTimes.length;
  }

  at(index: number): number | undefined {
    const openTime = this.#openTimes[index];
    return openTime === undefined ? undefined : closeTimeOf(this.#interval, openTime);
  }

  subarray(from: number, to: number): CloseTimes {
    return new CloseTimes(this.#openTimes.subarray(from, to), this.#interval);
  }
}
