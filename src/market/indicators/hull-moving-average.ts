import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { weightsOf } from './weighted-moving-average.js';
import { WeightedWindow } from './weighted-window.js';

/**
 * Hull's moving average: WMA over √`period` of 2 × WMA(`period` / 2) − WMA(`period`); half and root are
 * rounded down (as Stock.Indicators and TradingView do). Warm from input period + ⌊√period⌋ − 1 on.
 */
export class HullMovingAverage implements Indicator {
  readonly name = 'hma';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  #hull: Hull;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('hma', period, 2);
    this.period = period;
    this.warmup = period + Math.floor(Math.sqrt(period)) - 1;
    this.#hull = new Hull(period);
  }

  update(input: number): void {
    checkFinite('hma', input);
    this.#value = this.#hull.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#hull = new Hull(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstRow('hma', inputs);
    const column = columnBeside(inputs).fill(NaN, 0, first);
    const hull = new Hull(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = hull.push(inputs[row] as number);
    }
    return column;
  }
}

class Hull {
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
    this.#halfWeights = weightsOf(half);
    this.#wholeWeights = weightsOf(period);
    this.#rootWeights = weightsOf(root);
  }

  push(input: number): number {
    const half = this.#half.push(input) / this.#halfWeights;
    const whole = this.#whole.push(input) / this.#wholeWeights;
    return whole === whole ? this.#root.push(2 * half - whole) / this.#rootWeights : NaN;
  }
}
