import { columnLike, firstNumberRow } from '../window/column.js';
import type { Channel } from './donchian-channel.js';
import {
  checkAboveZero,
  checkFinite,
  checkPeriod,
  undefinedIfNaN,
  withDefaults,
  type Indicator,
  type OutputColumns,
} from '../indicator.js';
import { MomentsWindow } from '../window/moments-window.js';

/** Options of `indicators.bollinger`; default 20 and 2. */
export interface BollingerOptions {
  /** Number of inputs in the window, from 2. */
  readonly period: number;
  /** Half width, in standard deviations of the population. */
  readonly deviations: number;
}

const DEFAULTS: BollingerOptions = { period: 20, deviations: 2 };

/**
 * Mean of the last `period` inputs ± deviations × their standard deviation (population, as in TA-Lib and
 * Stock.Indicators). Warm from the `period`-th on. A flat window has width 0.
 */
export class BollingerBands implements Indicator<number, Channel> {
  readonly name = 'bollinger';
  readonly warmup: number;
  /** The given options, completed with the defaults. */
  readonly options: BollingerOptions;
  #window: MomentsWindow;
  #middle = NaN;
  #half = NaN;

  constructor(given: Partial<BollingerOptions> = {}) {
    const options = withDefaults('bollinger', DEFAULTS, given);
    checkPeriod('bollinger', options.period, 2);
    checkAboveZero('bollinger', 'deviations', options.deviations);
    this.options = options;
    this.warmup = options.period;
    this.#window = new MomentsWindow(options.period);
  }

  update(input: number): void {
    checkFinite('bollinger', input);
    this.#window.push(input);
    this.#middle = this.#window.mean;
    this.#half = this.options.deviations * this.#window.deviation;
  }

  next(input: number): Channel | undefined {
    this.update(input);
    return this.value;
  }

  get value(): Channel | undefined {
    const middle = this.#middle;
    if (middle !== middle) return undefined;
    return { upper: middle + this.#half, middle, lower: middle - this.#half };
  }
  /** `upper` of the newest value, without an object; undefined until warm. */
  get upper(): number | undefined {
    return undefinedIfNaN(this.#middle + this.#half);
  }
  /** `middle` of the newest value, without an object; undefined until warm. */
  get middle(): number | undefined {
    return undefinedIfNaN(this.#middle);
  }
  /** `lower` of the newest value, without an object; undefined until warm. */
  get lower(): number | undefined {
    return undefinedIfNaN(this.#middle - this.#half);
  }

  reset(): void {
    this.#window = new MomentsWindow(this.options.period);
    this.#middle = NaN;
    this.#half = NaN;
  }

  over(inputs: Float64Array): OutputColumns<Channel> {
    const first = firstNumberRow('bollinger', inputs);
    const { period, deviations } = this.options;
    const window = new MomentsWindow(period);
    const upper = columnLike(inputs).fill(NaN, 0, first);
    const middle = columnLike(inputs).fill(NaN, 0, first);
    const lower = columnLike(inputs).fill(NaN, 0, first);
    for (let row = first; row < inputs.length; row++) {
      window.push(inputs[row] as number);
      const { mean } = window;
      const half = deviations * window.deviation;
      upper[row] = mean + half;
      middle[row] = mean;
      lower[row] = mean - half;
    }
    return { upper, middle, lower };
  }
}
