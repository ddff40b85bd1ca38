import { columnBeside, firstRow } from './column.js';
import {
  checkFinite,
  checkPeriod,
  known,
  withDefaults,
  type Indicator,
  type OutputColumns,
} from './indicator.js';
import type { StochasticValue } from './stochastic.js';
import { StochasticWindow } from './stochastic-window.js';
import { Strength } from './strength.js';

/** Of `indicators.stochasticRsi`; 14, 14, 3, 3 unless told. */
export interface StochasticRsiOptions {
  /** Period of the RSI. */
  readonly rsi: number;
  /** So many values of the RSI are its range. */
  readonly period: number;
  /** Over so many is %K averaged. */
  readonly smooth: number;
  /** Over so many is %D the average of %K. */
  readonly signal: number;
}

const USUAL: StochasticRsiOptions = { rsi: 14, period: 14, smooth: 3, signal: 3 };

/**
 * Chande and Kroll's stochastic RSI, 0 … 100: the stochastic of the exact RSI in its own range (see
 * Stochastic; technicalindicators takes the rounded RSI). Warm from input rsi + period + smooth +
 * signal − 2 on.
 */
export class StochasticRsi implements Indicator<number, StochasticValue> {
  readonly name = 'stochasticRsi';
  readonly warmup: number;
  /** As given, with what is usual filled in. */
  readonly options: StochasticRsiOptions;
  #strength: Strength;
  #window: StochasticWindow;

  constructor(given: Partial<StochasticRsiOptions> = {}) {
    const options = withDefaults('stochasticRsi', USUAL, given);
    for (const option of ['rsi', 'period', 'smooth', 'signal'] as const) {
      checkPeriod(`stochasticRsi (${option})`, options[option]);
    }
    this.options = options;
    this.warmup = options.rsi + options.period + options.smooth + options.signal - 2;
    this.#strength = new Strength(options.rsi);
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
    return known(this.#window.d) === undefined ? undefined : this.#window.k;
  }
  /** `d` of the newest value, without an object; undefined until warm. */
  get d(): number | undefined {
    return known(this.#window.d);
  }

  reset(): void {
    this.#strength = new Strength(this.options.rsi);
    this.#window = windowOf(this.options);
  }

  over(inputs: Float64Array): OutputColumns<StochasticValue> {
    const first = firstRow('stochasticRsi', inputs);
    const run = new StochasticRsi(this.options);
    const k = columnBeside(inputs).fill(NaN, 0, first);
    const d = columnBeside(inputs).fill(NaN, 0, first);
    for (let row = first; row < inputs.length; row++) {
      run.#push(inputs[row] as number);
      const window = run.#window;
      k[row] = window.d === window.d ? window.k : NaN;
      d[row] = window.d;
    }
    return { k, d };
  }

  #push(input: number): void {
    const strength = this.#strength.push(input);
    if (strength === strength) this.#window.push(strength, strength, strength);
  }
}

const windowOf = ({ period, smooth, signal }: StochasticRsiOptions): StochasticWindow =>
  new StochasticWindow(period, smooth, signal);
