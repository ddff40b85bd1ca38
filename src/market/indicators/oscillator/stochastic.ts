import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  withDefaults,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type RangeInput,
} from '../indicator.js';
import { StochasticWindow } from '../window/stochastic-window.js';

/** Options of `indicators.stochastic`; default 14, 3, 3. */
export interface StochasticOptions {
  /** Number of candles whose range counts. */
  readonly period: number;
  /** Number of values over which %K is averaged; 1 gives the fast stochastic. */
  readonly smooth: number;
  /** Number of %K values whose average is %D. */
  readonly signal: number;
}

/** Both are 0 … 100. */
export interface StochasticValue {
  /** %K, averaged over `smooth`. */
  readonly k: number;
  /** %D, the mean of %K over `signal`. */
  readonly d: number;
}

const DEFAULTS: StochasticOptions = { period: 14, smooth: 3, signal: 3 };
const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Lane's stochastic: %K = 100 × (close − lowest low) / (highest high − lowest low) of the last `period`
 * candles, averaged over `smooth`. %D is its mean over `signal`. Both means are simple, as in TA-Lib's
 * default and Stock.Indicators. Warm when both exist: from candle period + smooth + signal − 2 on.
 *
 * A flat window gives 50, as in the RSI (TA-Lib and Stock.Indicators: 0).
 */
export class Stochastic implements Indicator<RangeInput, StochasticValue> {
  readonly name = 'stochastic';
  readonly warmup: number;
  /** The given options, completed with the defaults. */
  readonly options: StochasticOptions;
  #window: StochasticWindow;

  constructor(given: Partial<StochasticOptions> = {}) {
    const options = withDefaults('stochastic', DEFAULTS, given);
    checkPeriod('stochastic', options.period);
    checkPeriod('stochastic (smooth)', options.smooth);
    checkPeriod('stochastic (signal)', options.signal);
    this.options = options;
    this.warmup = options.period + options.smooth + options.signal - 2;
    this.#window = windowOf(options);
  }

  update(candle: RangeInput): void {
    const { high, low, close } = candle;
    checkCandle('stochastic', high + low + close, candle, FIELDS);
    this.#window.push(high, low, close);
  }

  next(candle: RangeInput): StochasticValue | undefined {
    this.update(candle);
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
    this.#window = windowOf(this.options);
  }

  over(candles: InputColumns<RangeInput>): OutputColumns<StochasticValue> {
    const rows = rowCount('stochastic', candles, FIELDS);
    const { high, low, close } = candles;
    const window = windowOf(this.options);
    const k = columnLike(close, rows);
    const d = columnLike(close, rows);
    for (let row = 0; row < rows; row++) {
      const top = high[row] as number;
      const bottom = low[row] as number;
      const last = close[row] as number;
      checkRow('stochastic', top + bottom + last, row, candles, FIELDS);
      window.push(top, bottom, last);
      k[row] = window.d === window.d ? window.k : NaN;
      d[row] = window.d;
    }
    return { k, d };
  }
}

const windowOf = ({ period, smooth, signal }: StochasticOptions): StochasticWindow =>
  new StochasticWindow(period, smooth, signal);
