import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  type Indicator,
  type InputColumns,
} from '../indicator.js';
import type { CloseVolumeInput } from './on-balance-volume.js';
import { ExponentialSmoothing } from '../moving-average/smoothing.js';

const FIELDS = ['close', 'volume'] as const;

/**
 * Elder's force index in USDT: EMA over `period` of (close − previous close) × volume. Warm from candle
 * `period` + 1 on. (technicalindicators counts a candle twice if the seed is exactly 0.)
 */
export class ForceIndex implements Indicator<CloseVolumeInput> {
  readonly name = 'forceIndex';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #smoothing: ExponentialSmoothing;
  #previous = NaN;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('forceIndex', period);
    this.period = period;
    this.warmup = period + 1;
    this.#smoothing = new ExponentialSmoothing(period);
  }

  update(candle: CloseVolumeInput): void {
    const { close, volume } = candle;
    checkCandle('forceIndex', close + volume, candle, FIELDS);
    this.#push(close, volume);
  }

  next(candle: CloseVolumeInput): number | undefined {
    this.update(candle);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#smoothing = new ExponentialSmoothing(this.period);
    this.#previous = NaN;
    this.#value = NaN;
  }

  over(candles: InputColumns<CloseVolumeInput>): Float64Array {
    const rows = rowCount('forceIndex', candles, FIELDS);
    const { close, volume } = candles;
    const column = columnLike(close, rows);
    const run = new ForceIndex(this.period);
    for (let row = 0; row < rows; row++) {
      const last = close[row] as number;
      const traded = volume[row] as number;
      checkRow('forceIndex', last + traded, row, candles, FIELDS);
      run.#push(last, traded);
      column[row] = run.#value;
    }
    return column;
  }

  #push(close: number, volume: number): void {
    const change = close - this.#previous;
    this.#previous = close;
    if (change === change) this.#value = this.#smoothing.push(change * volume);
  }
}
