import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkAboveZero,
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  withDefaults,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type RangeInput,
} from '../indicator.js';
import { TrueRange, WilderSmoothing } from '../moving-average/smoothing.js';

/** Options of `indicators.supertrend`; default 10 and 3. */
export interface SupertrendOptions {
  /** Period of the average true range. */
  readonly period: number;
  /** Distance of the bands, in average true ranges. */
  readonly multiplier: number;
}

/** Value of `indicators.supertrend`. */
export interface SupertrendValue {
  /** The lower band in a rising trend, the upper band in a falling one, USDT. */
  readonly line: number;
  /** 1 rising, −1 falling. */
  readonly direction: number;
}

const DEFAULTS: SupertrendOptions = { period: 10, multiplier: 3 };
const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Seban's Supertrend. The bands lie `multiplier` average true ranges (Wilder's) above and below the middle
 * of the candle. The upper band only falls while closes are below it; the lower band only rises while
 * closes are above it.
 *
 * A close on or beyond the line reverses the trend, as in Stock.Indicators (TradingView: only beyond). The
 * first trend depends on the close against the middle. Warm from candle `period` + 1 on.
 */
export class Supertrend implements Indicator<RangeInput, SupertrendValue> {
  readonly name = 'supertrend';
  readonly warmup: number;
  /** The given options, completed with the defaults. */
  readonly options: SupertrendOptions;
  #bands: SupertrendBands;

  constructor(given: Partial<SupertrendOptions> = {}) {
    const options = withDefaults('supertrend', DEFAULTS, given);
    checkPeriod('supertrend', options.period);
    checkAboveZero('supertrend', 'multiplier', options.multiplier);
    this.options = options;
    this.warmup = options.period + 1;
    this.#bands = new SupertrendBands(options);
  }

  update(candle: RangeInput): void {
    const { high, low, close } = candle;
    checkCandle('supertrend', high + low + close, candle, FIELDS);
    this.#bands.push(high, low, close);
  }

  next(candle: RangeInput): SupertrendValue | undefined {
    this.update(candle);
    return this.value;
  }

  get value(): SupertrendValue | undefined {
    const { line, direction } = this.#bands;
    return line === line ? { line, direction } : undefined;
  }
  /** `line` of the newest value, without an object; undefined until warm. */
  get line(): number | undefined {
    return undefinedIfNaN(this.#bands.line);
  }
  /** `direction` of the newest value, without an object; undefined until warm. */
  get direction(): number | undefined {
    return undefinedIfNaN(this.#bands.direction);
  }

  reset(): void {
    this.#bands = new SupertrendBands(this.options);
  }

  over(candles: InputColumns<RangeInput>): OutputColumns<SupertrendValue> {
    const rows = rowCount('supertrend', candles, FIELDS);
    const { high, low, close } = candles;
    const bands = new SupertrendBands(this.options);
    const line = columnLike(close, rows);
    const direction = columnLike(close, rows);
    for (let row = 0; row < rows; row++) {
      const top = high[row] as number;
      const bottom = low[row] as number;
      const last = close[row] as number;
      checkRow('supertrend', top + bottom + last, row, candles, FIELDS);
      bands.push(top, bottom, last);
      line[row] = bands.line;
      direction[row] = bands.direction;
    }
    return { line, direction };
  }
}

class SupertrendBands {
  readonly #multiplier: number;
  readonly #range = new TrueRange();
  readonly #ranges: WilderSmoothing;
  #previousClose = NaN;
  #upper = NaN;
  #lower = NaN;
  line = NaN;
  direction = NaN;

  constructor({ period, multiplier }: SupertrendOptions) {
    this.#multiplier = multiplier;
    this.#ranges = new WilderSmoothing(period);
  }

  push(high: number, low: number, close: number): void {
    const previous = this.#previousClose;
    this.#previousClose = close;
    const range = this.#range.push(high, low, close);
    if (range !== range) return;
    const half = this.#multiplier * this.#ranges.push(range);
    if (half !== half) return;
    const middle = (high + low) / 2;
    const isFirst = this.direction !== this.direction;
    if (isFirst) this.direction = close >= middle ? 1 : -1;
    const upper = middle + half;
    const lower = middle - half;
    if (isFirst || upper < this.#upper || previous > this.#upper) this.#upper = upper;
    if (isFirst || lower > this.#lower || previous < this.#lower) this.#lower = lower;
    const isFalling = close <= (this.direction > 0 ? this.#lower : this.#upper);
    this.direction = isFalling ? -1 : 1;
    this.line = isFalling ? this.#upper : this.#lower;
  }
}
