import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  type Indicator,
  type InputColumns,
  type RangeInput,
} from '../indicator.js';
import { MomentsWindow } from '../window/moments-window.js';

const FIELDS = ['high', 'low', 'close'] as const;
/** With Lambert's constant most values lie within ±100. */
const LAMBERT_CONSTANT = 0.015;

/**
 * Lambert's commodity channel index: (typical price − its mean) / (0.015 × mean absolute deviation) over
 * the last `period` candles. The typical price is (high + low + close) / 3. Warm from the `period`-th
 * on. A flat window gives 0, as in TA-Lib (other libraries: NaN, or a quotient of rounding errors).
 */
export class CommodityChannelIndex implements Indicator<RangeInput> {
  readonly name = 'cci';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #prices: Float64Array;
  #window: MomentsWindow;
  #index = 0;
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
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#prices = new Float64Array(this.period);
    this.#window = new MomentsWindow(this.period);
    this.#index = 0;
    this.#value = NaN;
  }

  over(candles: InputColumns<RangeInput>): Float64Array {
    const rows = rowCount('cci', candles, FIELDS);
    const { high, low, close } = candles;
    const column = columnLike(close, rows);
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
    prices[this.#index] = price;
    this.#index = this.#index + 1 === period ? 0 : this.#index + 1;
    this.#window.push(price);
    const { mean } = this.#window;
    if (mean !== mean) return;
    let totalDeviation = 0;
    for (let at = 0; at < period; at++) totalDeviation += Math.abs((prices[at] as number) - mean);
    this.#value =
      totalDeviation === 0 ? 0 : (price - mean) / (LAMBERT_CONSTANT * (totalDeviation / period));
  }
}
