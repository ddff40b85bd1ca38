import { columnLike, firstNumberRow } from '../window/column.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';
import { SumWindow } from '../window/sum-window.js';

/**
 * Mean of the last `period` inputs. Warm from the `period`-th on. The sum never accumulates rounding
 * errors (SumWindow): a value depends on its window only, not on the length of the run.
 */
export class SimpleMovingAverage implements Indicator {
  readonly name: string;
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #window: SumWindow;
  #value = NaN;

  /** @param name `mean` for a series that is not prices */
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
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#window = new SumWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow(this.name, inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const { period } = this;
    const window = new SumWindow(period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = window.push(inputs[row] as number) / period;
    }
    return column;
  }
}
