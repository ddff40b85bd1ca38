import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { MomentsWindow } from './moments-window.js';

/**
 * Standard deviation of the last `period` inputs as a population (divided by `period`; TA-Lib's STDDEV).
 * Times √(period / (period − 1)) it is that of a sample. Warm from the `period`-th on.
 */
export class RollingDeviation implements Indicator {
  readonly name = 'deviation';
  /** As given: so many inputs count. */
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
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#window = new MomentsWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstRow('deviation', inputs);
    const column = columnBeside(inputs).fill(NaN, 0, first);
    const window = new MomentsWindow(this.period);
    for (let row = first; row < inputs.length; row++) {
      window.push(inputs[row] as number);
      column[row] = window.deviation;
    }
    return column;
  }
}
