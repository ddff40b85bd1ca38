import type { Candle } from '../../core/candle.js';
import { checkRow, columnBeside, rowCount } from './column.js';
import { checkCandle, known, type Indicator, type InputColumns } from './indicator.js';

/** What it reads of a candle: the close in USDT, the volume in base units. */
export type CloseVolume = Pick<Candle, 'close' | 'volume'>;

const FIELDS = ['close', 'volume'] as const;

/**
 * On-balance volume: the volume of the first candle, plus that of each candle that closed higher than
 * the one before, minus that of each that closed lower. Base units. Warm from the first candle on (as
 * TA-Lib; Stock.Indicators and technicalindicators start with 0, the latter a candle late).
 */
export class OnBalanceVolume implements Indicator<CloseVolume> {
  readonly name = 'obv';
  readonly warmup = 1;
  #previous = NaN;
  #value = NaN;

  update(candle: CloseVolume): void {
    const { close, volume } = candle;
    checkCandle('obv', close + volume, candle, FIELDS);
    this.#push(close, volume);
  }

  next(candle: CloseVolume): number {
    this.update(candle);
    return this.#value;
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#previous = NaN;
    this.#value = NaN;
  }

  over(candles: InputColumns<CloseVolume>): Float64Array {
    const rows = rowCount('obv', candles, FIELDS);
    const { close, volume } = candles;
    const column = columnBeside(close, rows);
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
    // A product, not a branch: nobody can guess which way the next candle goes, nor can a processor.
    // (Math.sign is compiled to branches.)
    const sign = Number(change > 0) - Number(change < 0);
    this.#value = change === change ? this.#value + sign * volume : volume;
  }
}
