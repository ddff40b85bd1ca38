import type { Candle } from '../../../core/candle.js';
import { checkRow, columnLike, rowCount } from '../window/column.js';
import { checkCandle, undefinedIfNaN, type Indicator, type InputColumns } from '../indicator.js';

/** The input of an indicator of close and volume: USDT and base units. */
export type CloseVolumeInput = Pick<Candle, 'close' | 'volume'>;

const FIELDS = ['close', 'volume'] as const;

/**
 * On-balance volume in base units: the volume of the first candle, plus that of each candle with a higher
 * close than the previous one, minus that of each with a lower close. Warm from the first candle on, as
 * in TA-Lib. (Stock.Indicators and technicalindicators start with 0, the latter a candle late.)
 */
export class OnBalanceVolume implements Indicator<CloseVolumeInput> {
  readonly name = 'obv';
  readonly warmup = 1;
  #previous = NaN;
  #value = NaN;

  update(candle: CloseVolumeInput): void {
    const { close, volume } = candle;
    checkCandle('obv', close + volume, candle, FIELDS);
    this.#push(close, volume);
  }

  next(candle: CloseVolumeInput): number {
    this.update(candle);
    return this.#value;
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#previous = NaN;
    this.#value = NaN;
  }

  over(candles: InputColumns<CloseVolumeInput>): Float64Array {
    const rows = rowCount('obv', candles, FIELDS);
    const { close, volume } = candles;
    const column = columnLike(close, rows);
    const run = new OnBalanceVolume();
    for (let row = 0; row < rows; row++) {
      const last = close[row] as number;
      const traded = volume[row] as number;
      checkRow('obv', last + traded, row, candles, FIELDS);
      run.#push(last, traded);
      column[row] = run.#value;
    }
    return column;
  }

  #push(close: number, volume: number): void {
    const change = close - this.#previous;
    this.#previous = close;
    // A product, not a branch: the direction of the next candle is unpredictable, also for the branch
    // predictor. (Math.sign is compiled to branches.)
    const sign = Number(change > 0) - Number(change < 0);
    this.#value = change === change ? this.#value + sign * volume : volume;
  }
}
