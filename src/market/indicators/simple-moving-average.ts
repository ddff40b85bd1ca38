import { columnBeside, firstRow } from './column.js';
import { checkFinite, checkPeriod, known, type Indicator } from './indicator.js';
import { SumWindow } from './sum-window.js';

/**
 * Mean of the last `period` inputs. Warm from the `period`-th on. The window is added up anew all the
 * time (SumWindow), so that a long run ends with the digits of a short one.
 */
export class SimpleMovingAverage implements Indicator {
  readonly name: string;
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  #window: SumWindow;
  #value = NaN;

  /** @param name  `mean` where the series is not one of prices */
  constructor(period: number, name: 'sma' | 'mean' = 'sma') {
    checkPeriod(name, period);
    this.name = name;
    this.period = period;
    this.warmup = period;
    this.#window = new SumWindow(period);
  }

  update(input: number): void {
    checkFinite(this.name, input);
    this.#value = this.#window.push(input) / this.period;
  }

  next(input: number): number | undefined {
    this.update(input);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#window = new SumWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstRow(this.name, inputs);
    const column = columnBeside(inputs).fill(NaN, 0, first);
    const { period } = this;
    const window = new SumWindow(period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = window.push(inputs[row] as number) / period;
    }
    return column;
  }
}
