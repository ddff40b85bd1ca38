import { checkRow, columnBeside, rowCount } from './column.js';
import { checkCandle, checkPeriod, known, type Indicator, type InputColumns } from './indicator.js';
import type { CloseVolume } from './on-balance-volume.js';
import { ExponentialSmoothing } from './smoothing.js';

const FIELDS = ['close', 'volume'] as const;

/**
 * Elder's force index: EMA over `period` of (close − previous close) × volume; quote units. Warm from
 * candle `period` + 1 on. (technicalindicators counts a candle twice where the seed is exactly 0.)
 */
export class ForceIndex implements Indicator<CloseVolume> {
  readonly name = 'forceIndex';
  /** As given: so many inputs count. */
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

  update(candle: CloseVolume): void {
    const { close, volume } = candle;
    checkCandle('forceIndex', close + volume, candle, FIELDS);
    this.#push(close, volume);
  }

  next(candle: CloseVolume): number | undefined {
    this.update(candle);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#smoothing = new ExponentialSmoothing(this.period);
    this.#previous = NaN;
    this.#value = NaN;
  }

  over(candles: InputColumns<CloseVolume>): Float64Array {
    const rows = rowCount('forceIndex', candles, FIELDS);
    const { close, volume } = candles;
    const column = columnBeside(close, rows);
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
