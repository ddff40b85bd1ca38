import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { ExponentialSmoothing } from './smoothing.js';

/**
 * input × weight + value × (1 − weight) with weight 2 / (period + 1), seeded with the mean of the first
 * `period` inputs (as TA-Lib and Stock.Indicators do). Warm from the `period`-th on.
 */
export class ExponentialMovingAverage implements Indicator {
  readonly name = 'ema';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  readonly #weight: number;
  readonly #previousWeight: number;
  #value = NaN;
  #sum = 0;
  #count = 0;

  constructor(period: number) {
    checkPeriod('ema', period);
    this.period = period;
    this.warmup = period;
    this.#weight = 2 / (period + 1);
    this.#previousWeight = 1 - this.#weight;
  }

  // Written out twice instead of using ExponentialSmoothing, with one test for all rare cases: each value
  // depends on the previous one, so the latency of these lines is the cost of an EMA.
  update(input: number): void {
    const value = input * this.#weight + this.#value * this.#previousWeight;
    if (value - value !== 0 || typeof input !== 'number') this.#seed(input);
    else this.#value = value;
  }

  next(input: number): number | undefined {
    const value = input * this.#weight + this.#value * this.#previousWeight;
    if (value - value !== 0 || typeof input !== 'number') return this.#seed(input);
    this.#value = value;
    return value;
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#value = NaN;
    this.#sum = 0;
    this.#count = 0;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('ema', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const smoothing = new ExponentialSmoothing(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = smoothing.push(inputs[row] as number);
    }
    return column;
  }

  /** The rare cases: the indicator is not warm, or the input is not a finite number. */
  #seed(input: number): number | undefined {
    checkFinite('ema', input);
    this.#sum += input;
    this.#count++;
    if (this.#count === this.period) this.#value = this.#sum / this.period;
    return undefinedIfNaN(this.#value);
  }
}
