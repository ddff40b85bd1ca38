import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { ExponentialSmoothing } from './smoothing.js';

/**
 * input × weight + value × (1 − weight) with weight 2 / (period + 1), seeded with the mean of the first
 * `period` inputs (as TA-Lib and Stock.Indicators do). Warm from the `period`-th on.
 */
export class ExponentialMovingAverage implements Indicator {
  readonly name = 'ema';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  readonly #weight: number;
  readonly #rest: number;
  #value = NaN;
  #sum = 0;
  #count = 0;

  constructor(period: number) {
    checkPeriod('ema', period);
    this.period = period;
    this.warmup = period;
    this.#weight = 2 / (period + 1);
    this.#rest = 1 - this.#weight;
  }

  // Written out twice, not through ExponentialSmoothing, and with one test for all that is rare: each
  // value waits for the one before, so these lines are what an EMA costs.
  update(input: number): void {
    const value = input * this.#weight + this.#value * this.#rest;
    if (value - value !== 0 || typeof input !== 'number') this.#seed(input);
    else this.#value = value;
  }

  next(input: number): number | undefined {
    const value = input * this.#weight + this.#value * this.#rest;
    if (value - value !== 0 || typeof input !== 'number') return this.#seed(input);
    this.#value = value;
    return value;
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#value = NaN;
    this.#sum = 0;
    this.#count = 0;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstRow('ema', inputs);
    const column = columnBeside(inputs).fill(NaN, 0, first);
    const smoothing = new ExponentialSmoothing(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = smoothing.push(inputs[row] as number);
    }
    return column;
  }

  /** Before it is warm, or not a number at all. */
  #seed(input: number): number | undefined {
    checkFinite('ema', input);
    this.#sum += input;
    this.#count++;
    if (this.#count === this.period) this.#value = this.#sum / this.period;
    return known(this.#value);
  }
}
