import { checkRow, columnBeside, rowCount } from './column.js';
import {
  checkCandle,
  checkPeriod,
  known,
  withDefaults,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type RangeInput,
} from './indicator.js';
import { StochasticWindow } from './stochastic-window.js';

/** Of `indicators.stochastic`; 14, 3, 3 unless told. */
export interface StochasticOptions {
  /** Candles whose range counts. */
  readonly period: number;
  /** Over so many is %K averaged; 1 is the fast stochastic. */
  readonly smooth: number;
  /** Over so many is %D the average of %K. */
  readonly signal: number;
}

/** Both are 0 … 100. */
export interface StochasticValue {
  /** %K, averaged over `smooth`. */
  readonly k: number;
  /** %D, the mean of %K over `signal`. */
  readonly d: number;
}

const USUAL: StochasticOptions = { period: 14, smooth: 3, signal: 3 };
const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Lane's stochastic: %K = 100 × (close − lowest low) / (highest high − lowest low) of the last `period`
 * candles, averaged over `smooth`; %D is its mean over `signal` (simple means, as TA-Lib's default and
 * Stock.Indicators). Warm when both exist: from candle period + smooth + signal − 2 on.
 *
 * A window without any range is 50 here, as the RSI; TA-Lib and Stock.Indicators say 0.
 */
export class Stochastic implements Indicator<RangeInput, StochasticValue> {
  readonly name = 'stochastic';
  readonly warmup: number;
  /** As given, with what is usual filled in. */
  readonly options: StochasticOptions;
  #window: StochasticWindow;

  constructor(given: Partial<StochasticOptions> = {}) {
    const options = withDefaults('stochastic', USUAL, given);
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
    return known(this.#window.d) === undefined ? undefined : this.#window.k;
  }
  /** `d` of the newest value, without an object; undefined until warm. */
  get d(): number | undefined {
    return known(this.#window.d);
  }

  reset(): void {
    this.#window = windowOf(this.options);
  }

  over(candles: InputColumns<RangeInput>): OutputColumns<StochasticValue> {
    const rows = rowCount('stochastic', candles, FIELDS);
    const { high, low, close } = candles;
    const window = windowOf(this.options);
    const k = columnBeside(close, rows);
    const d = columnBeside(close, rows);
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
