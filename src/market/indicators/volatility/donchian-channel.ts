import { checkRow, columnLike, rowCount } from '../window/column.js';
import { HighestWindow, LowestWindow } from '../window/extreme-window.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type HighLowInput,
} from '../indicator.js';

/** A band of prices, in the unit of the inputs. */
export interface Channel {
  /** Upper edge. */
  readonly upper: number;
  /** Middle, or the average around which the band lies. */
  readonly middle: number;
  /** Lower edge. */
  readonly lower: number;
}

const FIELDS = ['high', 'low'] as const;

/**
 * Highest high and lowest low of the last `period` candles, including the newest. Warm from the
 * `period`-th on. To detect a breakout, read `value` before `next`: that channel excludes the newest
 * candle. Each value is a new object and may be retained.
 */
export class DonchianChannel implements Indicator<HighLowInput, Channel> {
  readonly name = 'donchian';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #highest: HighestWindow;
  #lowest: LowestWindow;
  #upper = NaN;
  #lower = NaN;

  constructor(period: number) {
    checkPeriod('donchian', period);
    this.period = period;
    this.warmup = period;
    this.#highest = new HighestWindow(period);
    this.#lowest = new LowestWindow(period);
  }

  update(candle: HighLowInput): void {
    const { high, low } = candle;
    // Both are checked first, so that the two windows always hold the same candles.
    checkCandle('donchian', high + low, candle, FIELDS);
    this.#upper = this.#highest.push(high);
    this.#lower = this.#lowest.push(low);
  }

  next(candle: HighLowInput): Channel | undefined {
    this.update(candle);
    return this.value;
  }

  get value(): Channel | undefined {
    const upper = this.#upper;
    const lower = this.#lower;
    return upper === upper ? { upper, middle: (upper + lower) / 2, lower } : undefined;
  }
  /** `upper` of the newest value, without an object; undefined until warm. */
  get upper(): number | undefined {
    return undefinedIfNaN(this.#upper);
  }
  /** `middle` of the newest value, without an object; undefined until warm. */
  get middle(): number | undefined {
    return undefinedIfNaN((this.#upper + this.#lower) / 2);
  }
  /** `lower` of the newest value, without an object; undefined until warm. */
  get lower(): number | undefined {
    return undefinedIfNaN(this.#lower);
  }

  reset(): void {
    this.#highest = new HighestWindow(this.period);
    this.#lowest = new LowestWindow(this.period);
    this.#upper = NaN;
    this.#lower = NaN;
  }

  over(candles: InputColumns<HighLowInput>): OutputColumns<Channel> {
    const rows = rowCount('donchian', candles, FIELDS);
    const { high, low } = candles;
    const highest = new HighestWindow(this.period);
    const lowest = new LowestWindow(this.period);
    const upper = columnLike(high, rows);
    const middle = columnLike(high, rows);
    const lower = columnLike(high, rows);
    for (let row = 0; row < rows; row++) {
      const top = high[row] as number;
      const bottom = low[row] as number;
      checkRow('donchian', top + bottom, row, candles, FIELDS);
      const best = highest.push(top);
      const worst = lowest.push(bottom);
      upper[row] = best;
      middle[row] = (best + worst) / 2;
      lower[row] = worst;
    }
    return { upper, middle, lower };
  }
}
