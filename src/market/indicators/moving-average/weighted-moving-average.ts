import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { WeightedWindow } from '../window/weighted-window.js';

/** Sum of the weights 1 … `period`. */
export const sumOfWeights = (period: number): number => (period * (period + 1)) / 2;

/**
 * Mean of the last `period` inputs with linear weights, from 1 for the oldest to `period` for the newest,
 * as in TA-Lib and Stock.Indicators. Warm from the `period`-th on.
 */
export class WeightedMovingAverage implements Indicator {
  readonly name = 'wma';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  readonly #weights: number;
  #window: WeightedWindow;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('wma', period);
    this.period = period;
    this.warmup = period;
    this.#weights = sumOfWeights(period);
    this.#window = new WeightedWindow(period);
  }

  update(input: number): void {
    checkFinite('wma', input);
    this.#value = this.#window.push(input) / this.#weights;
  }

  next(input: number): number | undefined {
    this.update(input);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#window = new WeightedWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('wma', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const weights = this.#weights;
    const window = new WeightedWindow(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = window.push(inputs[row] as number) / weights;
    }
    return column;
  }
}
