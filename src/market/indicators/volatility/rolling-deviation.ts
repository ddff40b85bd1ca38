import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { MomentsWindow } from '../window/moments-window.js';

/**
 * Standard deviation of the last `period` inputs as a population (divided by `period`), as TA-Lib's
 * STDDEV. Multiply by √(period / (period − 1)) for that of a sample. Warm from the `period`-th on.
 */
export class RollingStandardDeviation implements Indicator {
  readonly name = 'deviation';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #window: MomentsWindow;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('deviation', period, 2);
    this.period = period;
    this.warmup = period;
    this.#window = new MomentsWindow(period);
  }

  update(input: number): void {
    checkFinite('deviation', input);
    this.#window.push(input);
    this.#value = this.#window.deviation;
  }

  next(input: number): number | undefined {
    this.update(input);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#window = new MomentsWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('deviation', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const window = new MomentsWindow(this.period);
    for (let row = first; row < inputs.length; row++) {
      window.push(inputs[row] as number);
      column[row] = window.deviation;
    }
    return column;
  }
}
