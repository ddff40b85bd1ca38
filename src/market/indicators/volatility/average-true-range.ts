import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  type Indicator,
  type InputColumns,
  type RangeInput,
} from '../indicator.js';
import { TrueRange, WilderSmoothing } from '../moving-average/smoothing.js';

const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Wilder's average of the true range, max(high, previous close) − min(low, previous close). The first
 * candle only provides its close. The seed is the mean of the next `period` ranges, as in TA-Lib and
 * Stock.Indicators. Warm from candle `period` + 1 on.
 */
export class AverageTrueRange implements Indicator<RangeInput> {
  readonly name = 'atr';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #range = new TrueRange();
  #smoothing: WilderSmoothing;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('atr', period);
    this.period = period;
    this.warmup = period + 1;
    this.#smoothing = new WilderSmoothing(period);
  }

  update(candle: RangeInput): void {
    const { high, low, close } = candle;
    checkCandle('atr', high + low + close, candle, FIELDS);
    this.#push(high, low, close);
  }

  next(candle: RangeInput): number | undefined {
    this.update(candle);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#range = new TrueRange();
    this.#smoothing = new WilderSmoothing(this.period);
    this.#value = NaN;
  }

  over(candles: InputColumns<RangeInput>): Float64Array {
    const rows = rowCount('atr', candles, FIELDS);
    const { high, low, close } = candles;
    const column = columnLike(close, rows);
    const run = new AverageTrueRange(this.period);
    for (let row = 0; row < rows; row++) {
      const top = high[row] as number;
      const bottom = low[row] as number;
      const last = close[row] as number;
      checkRow('atr', top + bottom + last, row, candles, FIELDS);
      run.#push(top, bottom, last);
      column[row] = run.#value;
    }
    return column;
  }

  #push(high: number, low: number, close: number): void {
    const range = this.#range.push(high, low, close);
    if (range === range) this.#value = this.#smoothing.push(range);
  }
}
