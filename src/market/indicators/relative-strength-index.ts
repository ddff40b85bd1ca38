import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { Strength } from './strength.js';

/**
 * Wilder's RSI, 0 … 100, unrounded: 100 × average gain / (average gain + average loss), both seeded
 * with the mean of the first `period` changes. Warm from input `period` + 1 on.
 *
 * A market without any change in memory is 50 here; TA-Lib says 0, others 100.
 */
export class RelativeStrengthIndex implements Indicator {
  readonly name = 'rsi';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  #strength: Strength;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('rsi', period);
    this.period = period;
    this.warmup = period + 1;
    this.#strength = new Strength(period);
  }

  update(input: number): void {
    checkFinite('rsi', input);
    this.#value = this.#strength.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#strength = new Strength(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstRow('rsi', inputs);
    const column = columnBeside(inputs).fill(NaN, 0, first);
    const strength = new Strength(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = strength.push(inputs[row] as number);
    }
    return column;
  }
}
