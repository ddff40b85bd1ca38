import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { ExponentialSmoothing } from './smoothing.js';

/**
 * value += (input − value) × 2 / (period + 1), seeded with the mean of the first `period` inputs
 * (as TA-Lib and Stock.Indicators do). Warm from the `period`-th on.
 */
export class ExponentialMovingAverage implements Indicator {
  readonly name = 'ema';
  readonly period: number;
  readonly warmup: number;
  #smoothing: ExponentialSmoothing;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('ema', period);
    this.period = period;
    this.warmup = period;
    this.#smoothing = new ExponentialSmoothing(period);
  }

  update(input: number): void {
    checkFinite('ema', input);
    this.#value = this.#smoothing.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#smoothing = new ExponentialSmoothing(this.period);
    this.#value = NaN;
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
}
