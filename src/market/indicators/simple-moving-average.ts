import { checkFinite, checkPeriod, type Indicator } from './indicator.js';

/**
 * Mean of the last `period` inputs. Warm from the `period`-th on.
 *
 * The running sum adds the new input and then subtracts the one that leaves, in this order: the
 * rounding is part of the result, so that a run can be repeated to the last digit.
 */
export class SimpleMovingAverage implements Indicator {
  readonly period: number;
  readonly #window: Float64Array;
  #sum = 0;
  #count = 0;
  #oldest = 0;

  constructor(period: number) {
    checkPeriod('sma', period);
    this.period = period;
    this.#window = new Float64Array(period);
  }

  next(input: number): number | undefined {
    checkFinite('sma', input);
    const { period } = this;
    this.#sum += input;
    if (this.#count === period) this.#sum -= this.#window[this.#oldest] as number;
    else this.#count++;
    this.#window[this.#oldest] = input;
    this.#oldest = this.#oldest + 1 === period ? 0 : this.#oldest + 1;
    return this.value;
  }

  get value(): number | undefined {
    return this.#count === this.period ? this.#sum / this.period : undefined;
  }
}
