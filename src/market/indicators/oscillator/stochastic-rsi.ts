import { columnLike, firstNumberRow } from '../window/column.js';
import {
  checkFinite,
  checkPeriod,
  undefinedIfNaN,
  withDefaults,
  type Indicator,
  type OutputColumns,
} from '../indicator.js';
import type { StochasticValue } from './stochastic.js';
import { StochasticWindow } from '../window/stochastic-window.js';
import { RelativeStrength } from '../moving-average/smoothing.js';

/** Options of `indicators.stochasticRsi`; default 14, 14, 3, 3. */
export interface StochasticRsiOptions {
  /** Period of the RSI. */
  readonly rsi: number;
  /** Number of RSI values whose range counts. */
  readonly period: number;
  /** Number of values over which %K is averaged. */
  readonly smooth: number;
  /** Number of %K values whose average is %D. */
  readonly signal: number;
}

const DEFAULTS: StochasticRsiOptions = { rsi: 14, period: 14, smooth: 3, signal: 3 };

/**
 * Chande and Kroll's stochastic RSI, 0 … 100: the stochastic of the unrounded RSI in its own range, see
 * Stochastic (technicalindicators rounds the RSI). Warm from input rsi + period + smooth + signal − 2
 * on.
 */
export class StochasticRsi implements Indicator<number, StochasticValue> {
  readonly name = 'stochasticRsi';
  readonly warmup: number;
  /** The given options, completed with the defaults. */
  readonly options: StochasticRsiOptions;
  #relativeStrength: RelativeStrength;
  #window: StochasticWindow;

  constructor(given: Partial<StochasticRsiOptions> = {}) {
    const options = withDefaults('stochasticRsi', DEFAULTS, given);
    for (const option of ['rsi', 'period', 'smooth', 'signal'] as const) {
      checkPeriod(`stochasticRsi (${option})`, options[option]);
    }
    this.options = options;
    this.warmup = options.rsi + options.period + options.smooth + options.signal - 2;
    this.#relativeStrength = new RelativeStrength(options.rsi);
    this.#window = windowOf(options);
  }

  update(input: number): void {
    checkFinite('stochasticRsi', input);
    this.#push(input);
  }

  next(input: number): StochasticValue | undefined {
    this.update(input);
    return this.value;
  }

  get value(): StochasticValue | undefined {
    const { k, d } = this.#window;
    return d === d ? { k, d } : undefined;
  }
  /** `k` of the newest value, without an object; undefined until warm. */
  get k(): number | undefined {
    return undefinedIfNaN(this.#window.d) === undefined ? undefined : this.#window.k;
  }
  /** `d` of the newest value, without an object; undefined until warm. */
  get d(): number | undefined {
    return undefinedIfNaN(this.#window.d);
  }

  reset(): void {
    this.#relativeStrength = new RelativeStrength(this.options.rsi);
    this.#window = windowOf(this.options);
  }

  over(inputs: Float64Array): OutputColumns<StochasticValue> {
    const first = firstNumberRow('stochasticRsi', inputs);
    const run = new StochasticRsi(this.options);
    const k = columnLike(inputs).fill(NaN, 0, first);
    const d = columnLike(inputs).fill(NaN, 0, first);
    for (let row = first; row < inputs.length; row++) {
      run.#push(inputs[row] as number);
      const window = run.#window;
      k[row] = window.d === window.d ? window.k : NaN;
      d[row] = window.d;
    }
    return { k, d };
  }

  #push(input: number): void {
    const strength = this.#relativeStrength.push(input);
    if (strength === strength) this.#window.push(strength, strength, strength);
  }
}

const windowOf = ({ period, smooth, signal }: StochasticRsiOptions): StochasticWindow =>
  new StochasticWindow(period, smooth, signal);
