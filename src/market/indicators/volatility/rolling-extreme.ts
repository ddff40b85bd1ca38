import { columnLike, firstNumberRow } from '../window/column.js';
import { HighestWindow, LowestWindow } from '../window/extreme-window.js';
import { checkFinite, checkPeriod, undefinedIfNaN, type Indicator } from '../indicator.js';

/** Highest of the last `period` inputs, including the newest. Warm from the `period`-th on. */
export class RollingHighest implements Indicator {
  readonly name = 'highest';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #window: HighestWindow;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('highest', period);
    this.period = period;
    this.warmup = period;
    this.#window = new HighestWindow(period);
  }

  update(input: number): void {
    checkFinite('highest', input);
    this.#value = this.#window.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#window = new HighestWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('highest', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const window = new HighestWindow(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = window.push(inputs[row] as number);
    }
    return column;
  }
}

/** Lowest of the last `period` inputs, including the newest. Warm from the `period`-th on. */
export class RollingLowest implements Indicator {
  readonly name = 'lowest';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #window: LowestWindow;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('lowest', period);
    this.period = period;
    this.warmup = period;
    this.#window = new LowestWindow(period);
  }

  update(input: number): void {
    checkFinite('lowest', input);
    this.#value = this.#window.push(input);
  }

  next(input: number): number | undefined {
    this.update(input);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#window = new LowestWindow(this.period);
    this.#value = NaN;
  }

  over(inputs: Float64Array): Float64Array {
    const first = firstNumberRow('lowest', inputs);
    const column = columnLike(inputs).fill(NaN, 0, first);
    const window = new LowestWindow(this.period);
    for (let row = first; row < inputs.length; row++) {
      column[row] = window.push(inputs[row] as number);
    }
    return column;
  }
}
