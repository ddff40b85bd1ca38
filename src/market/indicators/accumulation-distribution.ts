import { columnBeside, rowCount } from './column.js';
import { checkCandle, known, type Indicator, type InputColumns } from './indicator.js';
import type { VolumeInput } from './money-flow-index.js';

const FIELDS = ['high', 'low', 'close', 'volume'] as const;

/**
 * Chaikin's accumulation/distribution line, unrounded: the sum of volume × ((close − low) − (high −
 * close)) / (high − low), where a candle without a range adds nothing (technicalindicators rounds to
 * whole numbers and adds such a candle's whole volume). Base units. Warm from the first candle on.
 */
export class AccumulationDistribution implements Indicator<VolumeInput> {
  readonly name = 'adl';
  readonly warmup = 1;
  #value = NaN;

  update(candle: VolumeInput): void {
    const { high, low, close, volume } = candle;
    checkCandle('adl', high + low + close + volume, candle, FIELDS);
    this.#push(high, low, close, volume);
  }

  next(candle: VolumeInput): number | undefined {
    this.update(candle);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#value = NaN;
  }

  over(candles: InputColumns<VolumeInput>): Float64Array {
    const rows = rowCount('adl', candles, FIELDS);
    const { high, low, close, volume } = candles;
    const column = columnBeside(close, rows);
    const run = new AccumulationDistribution();
    for (let row = 0; row < rows; row++) {
      run.#push(
        high[row] as number,
        low[row] as number,
        close[row] as number,
        volume[row] as number,
      );
      column[row] = run.#value;
    }
    return column;
  }

  #push(high: number, low: number, close: number, volume: number): void {
    const range = high - low;
    const flow = range === 0 ? 0 : ((close - low - (high - close)) / range) * volume;
    this.#value = (known(this.#value) ?? 0) + flow;
  }
}
