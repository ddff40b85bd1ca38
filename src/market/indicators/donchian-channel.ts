import { checkRow, columnBeside, rowCount } from './column.js';
import { HighestWindow, LowestWindow } from './extreme-window.js';
import {
  checkCandle,
  checkPeriod,
  known,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type HighLow,
} from './indicator.js';

/** A band of prices, in the unit of the inputs. */
export interface Channel {
  /** Its upper edge. */
  readonly upper: number;
  /** Its middle, or the average that it stands around. */
  readonly middle: number;
  /** Its lower edge. */
  readonly lower: number;
}

const FIELDS = ['high', 'low'] as const;

/**
 * Highest high and lowest low of the last `period` candles, the newest among them. Warm from the
 * `period`-th on. A breakout is measured against the channel without the newest candle: read `value`
 * before `next`. Each channel is an object of its own and may be kept.
 */
export class DonchianChannel implements Indicator<HighLow, Channel> {
  readonly name = 'donchian';
  /** As given: so many inputs count. */
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

  update(candle: HighLow): void {
    const { high, low } = candle;
    // Both or neither: the two sides must not drift apart.
    checkCandle('donchian', high + low, candle, FIELDS);
    this.#upper = this.#highest.push(high);
    this.#lower = this.#lowest.push(low);
  }

  next(candle: HighLow): Channel | undefined {
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
    return known(this.#upper);
  }
  /** `middle` of the newest value, without an object; undefined until warm. */
  get middle(): number | undefined {
    return known((this.#upper + this.#lower) / 2);
  }
  /** `lower` of the newest value, without an object; undefined until warm. */
  get lower(): number | undefined {
    return known(this.#lower);
  }

  reset(): void {
    this.#highest = new HighestWindow(this.period);
    this.#lowest = new LowestWindow(this.period);
    this.#upper = NaN;
    this.#lower = NaN;
  }

  over(candles: InputColumns<HighLow>): OutputColumns<Channel> {
    const rows = rowCount('donchian', candles, FIELDS);
    const { high, low } = candles;
    const highest = new HighestWindow(this.period);
    const lowest = new LowestWindow(this.period);
    const upper = columnBeside(high, rows);
    const middle = columnBeside(high, rows);
    const lower = columnBeside(high, rows);
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
