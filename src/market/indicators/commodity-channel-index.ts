import { checkRow, columnBeside, rowCount } from './column.js';
import {
  checkCandle,
  checkPeriod,
  known,
  type Indicator,
  type InputColumns,
  type RangeInput,
} from './indicator.js';
import { MomentsWindow } from './moments-window.js';

const FIELDS = ['high', 'low', 'close'] as const;
/** Lambert's constant: most values fall within ±100. */
const SCALE = 0.015;

/**
 * Lambert's commodity channel index: (typical price − its mean) / (0.015 × mean absolute distance from
 * that mean) over the last `period` candles; the typical price is (high + low + close) / 3. Warm from
 * the `period`-th on. A flat window is 0, as in TA-Lib (others: NaN, or the rounding errors compared).
 */
export class CommodityChannelIndex implements Indicator<RangeInput> {
  readonly name = 'cci';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  #prices: Float64Array;
  #window: MomentsWindow;
  #at = 0;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('cci', period, 2);
    this.period = period;
    this.warmup = period;
    this.#prices = new Float64Array(period);
    this.#window = new MomentsWindow(period);
  }

  update(candle: RangeInput): void {
    const { high, low, close } = candle;
    checkCandle('cci', high + low + close, candle, FIELDS);
    this.#push((high + low + close) / 3);
  }

  next(candle: RangeInput): number | undefined {
    this.update(candle);
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
  }

  reset(): void {
    this.#prices = new Float64Array(this.period);
    this.#window = new MomentsWindow(this.period);
    this.#at = 0;
    this.#value = NaN;
  }

  over(candles: InputColumns<RangeInput>): Float64Array {
    const rows = rowCount('cci', candles, FIELDS);
    const { high, low, close } = candles;
    const column = columnBeside(close, rows);
    const run = new CommodityChannelIndex(this.period);
    for (let row = 0; row < rows; row++) {
      const sum = (high[row] as number) + (low[row] as number) + (close[row] as number);
      checkRow('cci', sum, row, candles, FIELDS);
      run.#push(sum / 3);
      column[row] = run.#value;
    }
    return column;
  }

  #push(price: number): void {
    const prices = this.#prices;
    const { period } = this;
    prices[this.#at] = price;
    this.#at = this.#at + 1 === period ? 0 : this.#at + 1;
    this.#window.push(price);
    const { mean } = this.#window;
    if (mean !== mean) return;
    let apart = 0;
    for (let at = 0; at < period; at++) apart += Math.abs((prices[at] as number) - mean);
    this.#value = apart === 0 ? 0 : (price - mean) / (SCALE * (apart / period));
  }
}
