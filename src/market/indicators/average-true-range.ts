import { checkRow, columnBeside, rowCount } from './column.js';
import {
  checkCandle,
  checkPeriod,
  known,
  type Indicator,
  type InputColumns,
  type RangeInput,
} from './indicator.js';
import { WilderSmoothing } from './smoothing.js';
import { TrueRange } from './true-range.js';

const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Wilder's average of the true range max(high, previous close) − min(low, previous close). The first
 * candle has no previous close and only lends its own; the mean of the next `period` ranges is the
 * seed (as TA-Lib and Stock.Indicators do). Warm from candle `period` + 1 on.
 */
export class AverageTrueRange implements Indicator<RangeInput> {
  readonly name = 'atr';
  /** As given: so many inputs count. */
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
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#range = new TrueRange();
    this.#smoothing = new WilderSmoothing(this.period);
    this.#value = NaN;
  }

  over(candles: InputColumns<RangeInput>): Float64Array {
    const rows = rowCount('atr', candles, FIELDS);
    const { high, low, close } = candles;
    const column = columnBeside(close, rows);
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
