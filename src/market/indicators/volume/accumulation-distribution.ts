import { checkRow, columnLike, rowCount } from '../window/column.js';
import { checkCandle, type Indicator, type InputColumns } from '../indicator.js';
import type { VolumeInput } from '../oscillator/money-flow-index.js';

const FIELDS = ['high', 'low', 'close', 'volume'] as const;

/**
 * Chaikin's accumulation/distribution line in base units, unrounded: the sum of volume × ((close − low) −
 * (high − close)) / (high − low). A candle without a range adds 0. Warm from the first candle on.
 * (technicalindicators rounds to whole numbers and adds the whole volume of a candle without a range.)
 */
export class AccumulationDistribution implements Indicator<VolumeInput> {
  readonly name = 'adl';
  readonly warmup = 1;
  #sum = 0;
  #isWarm = false;

  update(candle: VolumeInput): void {
    const { high, low, close, volume } = candle;
    checkCandle('adl', high + low + close + volume, candle, FIELDS);
    this.#sum += moneyFlowVolume(high, low, close, volume);
    this.#isWarm = true;
  }

  next(candle: VolumeInput): number {
    this.update(candle);
    return this.#sum;
  }

  get value(): number | undefined {
    return this.#isWarm ? this.#sum : undefined;
  }

  reset(): void {
    this.#sum = 0;
    this.#isWarm = false;
  }

  over(candles: InputColumns<VolumeInput>): Float64Array {
    const rows = rowCount('adl', candles, FIELDS);
    const { high, low, close, volume } = candles;
    const column = columnLike(close, rows);
    let sum = 0;
    for (let row = 0; row < rows; row++) {
      const top = high[row] as number;
      const bottom = low[row] as number;
      const last = close[row] as number;
      const traded = volume[row] as number;
      checkRow('adl', top + bottom + last + traded, row, candles, FIELDS);
      sum += moneyFlowVolume(top, bottom, last, traded);
      column[row] = sum;
    }
    return column;
  }
}

/** Volume weighted by the position of the close in the range: +1 at the high, 0 in the middle, −1 at the low. */
function moneyFlowVolume(high: number, low: number, close: number, volume: number): number {
  const range = high - low;
  return range === 0 ? 0 : ((close - low - (high - close)) / range) * volume;
}
