import { columnLike, firstNumberRow } from '../window/column.js';
import {
  checkFinite,
  checkPeriod,
  undefinedIfNaN,
  withDefaults,
  type Indicator,
  type OutputColumns,
} from '../indicator.js';
import { ExponentialSmoothing } from './smoothing.js';

/** Options of `indicators.macd`; default 12, 26, 9. */
export interface MacdOptions {
  /** Period of the faster average. */
  readonly fast: number;
  /** Period of the slower average; above `fast`. */
  readonly slow: number;
  /** Period of the average of their difference. */
  readonly signal: number;
}

/** In the unit of the inputs. */
export interface MacdValue {
  /** The faster average minus the slower one. */
  readonly macd: number;
  /** The average of `macd`. */
  readonly signal: number;
  /** `macd` minus `signal`. */
  readonly histogram: number;
}

const DEFAULTS: MacdOptions = { fast: 12, slow: 26, signal: 9 };

/**
 * EMA(fast) − EMA(slow), its EMA(signal), and macd − signal. Each EMA is seeded with the mean of its own
 * first inputs, as in Stock.Indicators. TA-Lib starts the fast one together with the slow one; the
 * difference fades. Warm when all three values exist: from input slow + signal − 1 on.
 */
export class MovingAverageConvergenceDivergence implements Indicator<number, MacdValue> {
  readonly name = 'macd';
  readonly warmup: number;
  /** The given options, completed with the defaults. */
  readonly options: MacdOptions;
  #fast: ExponentialSmoothing;
  #slow: ExponentialSmoothing;
  #smoothing: ExponentialSmoothing;
  #macd = NaN;
  #signal = NaN;

  constructor(given: Partial<MacdOptions> = {}) {
    const options = withDefaults('macd', DEFAULTS, given);
    checkPeriod('macd (fast)', options.fast);
    checkPeriod('macd (slow)', options.slow, options.fast + 1);
    checkPeriod('macd (signal)', options.signal);
    this.options = options;
    this.warmup = options.slow + options.signal - 1;
    this.#fast = new ExponentialSmoothing(options.fast);
    this.#slow = new ExponentialSmoothing(options.slow);
    this.#smoothing = new ExponentialSmoothing(options.signal);
  }

  update(input: number): void {
    checkFinite('macd', input);
    this.#push(input);
  }

  next(input: number): MacdValue | undefined {
    this.update(input);
    return this.value;
  }

  get value(): MacdValue | undefined {
    const macd = this.#macd;
    const signal = this.#signal;
    return signal === signal ? { macd, signal, histogram: macd - signal } : undefined;
  }
  /** `macd` of the newest value, without an object; undefined until warm. */
  get macd(): number | undefined {
    return undefinedIfNaN(this.#signal) === undefined ? undefined : this.#macd;
  }
  /** `signal` of the newest value, without an object; undefined until warm. */
  get signal(): number | undefined {
    return undefinedIfNaN(this.#signal);
  }
  /** `histogram` of the newest value, without an object; undefined until warm. */
  get histogram(): number | undefined {
    return undefinedIfNaN(this.#macd - this.#signal);
  }

  reset(): void {
    this.#fast = new ExponentialSmoothing(this.options.fast);
    this.#slow = new ExponentialSmoothing(this.options.slow);
    this.#smoothing = new ExponentialSmoothing(this.options.signal);
    this.#macd = NaN;
    this.#signal = NaN;
  }

  over(inputs: Float64Array): OutputColumns<MacdValue> {
    const first = firstNumberRow('macd', inputs);
    const run = new MovingAverageConvergenceDivergence(this.options);
    const macd = columnLike(inputs).fill(NaN, 0, first);
    const signal = columnLike(inputs).fill(NaN, 0, first);
    const histogram = columnLike(inputs).fill(NaN, 0, first);
    for (let row = first; row < inputs.length; row++) {
      run.#push(inputs[row] as number);
      const distance = run.#macd - run.#signal;
      macd[row] = distance === distance ? run.#macd : NaN;
      signal[row] = run.#signal;
      histogram[row] = distance;
    }
    return { macd, signal, histogram };
  }

  #push(input: number): void {
    const macd = this.#fast.push(input) - this.#slow.push(input);
    this.#macd = macd;
    if (macd === macd) this.#signal = this.#smoothing.push(macd);
  }
}
