import { checkFinite, checkPeriod, type Indicator } from './indicator.js';

/**
 * value += (input − value) × 2 / (period + 1), seeded with the mean of the first `period` inputs
 * (as TA-Lib and Stock.Indicators do). Warm from the `period`-th on.
 */
export class ExponentialMovingAverage implements Indicator {
  readonly period: number;
  readonly #weight: number;
  #sum = 0;
  /** Unset is NaN, not undefined: the engine keeps a field of numbers unboxed. */
  #value = NaN;
  #count = 0;

  constructor(period: number) {
    checkPeriod('ema', period);
    this.period = period;
    this.#weight = 2 / (period + 1);
  }

  next(input: number): number | undefined {
    checkFinite('ema', input);
    if (this.#count === this.period) {
      this.#value += (input - this.#value) * this.#weight;
      return this.#value;
    }
    this.#sum += input;
    this.#count++;
    this.#value = this.#sum / this.period;
    return this.value;
  }

  get value(): number | undefined {
    return this.#count === this.period ? this.#value : undefined;
  }
}
