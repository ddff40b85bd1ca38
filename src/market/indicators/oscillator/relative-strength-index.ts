import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { RelativeStrength } from '../moving-average/smoothing.js';

/**
 * Wilder's RSI, 0 … 100, unrounded: 100 × average gain / (average gain + average loss), both seeded
 * with the mean of the first `period` changes. Warm from input `period` + 1 on.
 *
 * Without any change of price it is 50 (TA-Lib: 0, other libraries: 100).
 */
export class RelativeStrengthIndex implements Indicator {
  readonly name = 'rsi';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #relativeStrength: RelativeStrength;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('rsi', period);
    this.period = period;
    this.warmup = period + 1;
    this.#relativeStrength = new RelativeStrength(period);
  }

  update(input: number): void {
    checkFinite('rsi', input);
    this.#value = this.#relativeStrength.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#relativeStrength = new RelativeStrength(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('rsi', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const strength = new RelativeStrength(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = strength.push(inputs[row] as number);
    }
    return column;
  }
}
