import { columnBeside, firstRow } from './column.js';
import {
  checkFinite,
  checkPeriod,
  known,
  withDefaults,
  type Indicator,
  type OutputColumns,
} from './indicator.js';
import { ExponentialSmoothing } from './smoothing.js';

/** Of `indicators.macd`; 12, 26, 9 unless told. */
export interface MacdOptions {
  /** Period of the faster average. */
  readonly fast: number;
  /** Period of the slower one; more than `fast`. */
  readonly slow: number;
  /** Period of the average of their distance. */
  readonly signal: number;
}

/** In the unit of the inputs. */
export interface MacdValue {
  /** The faster average less the slower one. */
  readonly macd: number;
  /** The average of that. */
  readonly signal: number;
  /** `macd` less `signal`. */
  readonly histogram: number;
}

const USUAL: MacdOptions = { fast: 12, slow: 26, signal: 9 };

/**
 * EMA(fast) − EMA(slow), its EMA(signal), and macd − signal. Each EMA is seeded with the mean of its own
 * first inputs (the form of charts and of Stock.Indicators; TA-Lib starts the fast one with the slow
 * one, which differs early and fades). Warm when all three exist: from input slow + signal − 1 on.
 */
export class MovingAverageConvergence implements Indicator<number, MacdValue> {
  readonly name = 'macd';
  readonly warmup: number;
  /** As given, with what is usual filled in. */
  readonly options: MacdOptions;
  #fast: ExponentialSmoothing;
  #slow: ExponentialSmoothing;
  #smoothing: ExponentialSmoothing;
  #macd = NaN;
  #signal = NaN;

  constructor(given: Partial<MacdOptions> = {}) {
    const options = withDefaults('macd', USUAL, given);
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
    return known(this.#signal) === undefined ? undefined : this.#macd;
  }
  /** `signal` of the newest value, without an object; undefined until warm. */
  get signal(): number | undefined {
    return known(this.#signal);
  }
  /** `histogram` of the newest value, without an object; undefined until warm. */
  get histogram(): number | undefined {
    return known(this.#macd - this.#signal);
  }

  reset(): void {
    this.#fast = new ExponentialSmoothing(this.options.fast);
    this.#slow = new ExponentialSmoothing(this.options.slow);
    this.#smoothing = new ExponentialSmoothing(this.options.signal);
    this.#macd = NaN;
    this.#signal = NaN;
  }

  over(inputs: Float64Array): OutputColumns<MacdValue> {
    const first = firstRow('macd', inputs);
    const run = new MovingAverageConvergence(this.options);
    const macd = columnBeside(inputs).fill(NaN, 0, first);
    const signal = columnBeside(inputs).fill(NaN, 0, first);
    const histogram = columnBeside(inputs).fill(NaN, 0, first);
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
