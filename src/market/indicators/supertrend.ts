import { checkRow, columnBeside, rowCount } from './column.js';
import {
  checkAboveZero,
  checkCandle,
  checkPeriod,
  known,
  withDefaults,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type RangeInput,
} from './indicator.js';
import { WilderSmoothing } from './smoothing.js';
import { TrueRange } from './true-range.js';

/** Of `indicators.supertrend`; 10 and 3 unless told. */
export interface SupertrendOptions {
  /** Of the average true range. */
  readonly period: number;
  /** Distance of the bands, in average true ranges. */
  readonly multiplier: number;
}

/** What `indicators.supertrend` says of a candle. */
export interface SupertrendValue {
  /** The lower band in a rising trend, the upper one in a falling. */
  readonly line: number;
  /** 1 rising, −1 falling. */
  readonly direction: number;
}

const USUAL: SupertrendOptions = { period: 10, multiplier: 3 };
const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Seban's Supertrend. Bands stand `multiplier` average true ranges (Wilder's) above and below the middle
 * of the candle; the upper one only falls while closes stay below it, the lower one only rises while
 * closes stay above it. A close on or through the line turns the trend (as Stock.Indicators has it;
 * TradingView turns only when it is through). The first trend is that of the close against the middle.
 * Warm from candle `period` + 1 on.
 */
export class Supertrend implements Indicator<RangeInput, SupertrendValue> {
  readonly name = 'supertrend';
  readonly warmup: number;
  /** As given, with what is usual filled in. */
  readonly options: SupertrendOptions;
  #bands: Bands;

  constructor(given: Partial<SupertrendOptions> = {}) {
    const options = withDefaults('supertrend', USUAL, given);
    checkPeriod('supertrend', options.period);
    checkAboveZero('supertrend', 'multiplier', options.multiplier);
    this.options = options;
    this.warmup = options.period + 1;
    this.#bands = new Bands(options);
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
    return known(this.#bands.line);
  }
  /** `direction` of the newest value, without an object; undefined until warm. */
  get direction(): number | undefined {
    return known(this.#bands.direction);
  }

  reset(): void {
    this.#bands = new Bands(this.options);
  }

  over(candles: InputColumns<RangeInput>): OutputColumns<SupertrendValue> {
    const rows = rowCount('supertrend', candles, FIELDS);
    const { high, low, close } = candles;
    const bands = new Bands(this.options);
    const line = columnBeside(close, rows);
    const direction = columnBeside(close, rows);
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

class Bands {
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
