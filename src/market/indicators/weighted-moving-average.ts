import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { WeightedWindow } from './weighted-window.js';

/** The weights 1 … `period` added up. */
export const weightsOf = (period: number): number => (period * (period + 1)) / 2;

/**
 * Mean of the last `period` inputs, the newest weighing `period`, the oldest 1 (as TA-Lib and
 * Stock.Indicators do). Warm from the `period`-th on.
 */
export class WeightedMovingAverage implements Indicator {
  readonly name = 'wma';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  readonly #weights: number;
  #window: WeightedWindow;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('wma', period);
    this.period = period;
    this.warmup = period;
    this.#weights = weightsOf(period);
    this.#window = new WeightedWindow(period);
  }

  update(input: number): void {
    checkFinite('wma', input);
    this.#value = this.#window.push(input) / this.#weights;
  }

  next(input: number): number | undefined {
    this.update(input);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#window = new WeightedWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstRow('wma', inputs);
    const column = columnBeside(inputs).fill(NaN, 0, first);
    const weights = this.#weights;
    const window = new WeightedWindow(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = window.push(inputs[row] as number) / weights;
    }
    return column;
  }
}
