import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { sumOfWeights } from './weighted-moving-average.js';
import { WeightedWindow } from '../window/weighted-window.js';

/**
 * Hull's moving average: WMA over √`period` of 2 × WMA(`period` / 2) − WMA(`period`). Half and root are
 * rounded down, as in Stock.Indicators and TradingView. Warm from input period + ⌊√period⌋ − 1 on.
 */
export class HullMovingAverage implements Indicator {
  readonly name = 'hma';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #smoothing: HullSmoothing;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('hma', period, 2);
    this.period = period;
    this.warmup = period + Math.floor(Math.sqrt(period)) - 1;
    this.#smoothing = new HullSmoothing(period);
  }

  update(input: number): void {
    checkFinite('hma', input);
    this.#value = this.#smoothing.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#smoothing = new HullSmoothing(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('hma', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const smoothing = new HullSmoothing(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = smoothing.push(inputs[row] as number);
    }
    return column;
  }
}

class HullSmoothing {
  readonly #half: WeightedWindow;
  readonly #whole: WeightedWindow;
  readonly #root: WeightedWindow;
  readonly #halfWeights: number;
  readonly #wholeWeights: number;
  readonly #rootWeights: number;

  constructor(period: number) {
    const half = Math.floor(period / 2);
    const root = Math.floor(Math.sqrt(period));
    this.#half = new WeightedWindow(half);
    this.#whole = new WeightedWindow(period);
    this.#root = new WeightedWindow(root);
    this.#halfWeights = sumOfWeights(half);
    this.#wholeWeights = sumOfWeights(period);
    this.#rootWeights = sumOfWeights(root);
  }

  push(input: number): number {
    const half = this.#half.push(input) / this.#halfWeights;
    const whole = this.#whole.push(input) / this.#wholeWeights;
    return whole === whole ? this.#root.push(2 * half - whole) / this.#rootWeights : NaN;
  }
}
