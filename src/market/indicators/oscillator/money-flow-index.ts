import type { Candle } from '../../../core/candle.js';
import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  type Indicator,
  type InputColumns,
} from '../indicator.js';
import { NEUTRAL } from '../moving-average/smoothing.js';
import { SumWindow } from '../window/sum-window.js';

/** Fields of a candle for an indicator of price range and volume; units as in `Candle`. */
export type VolumeInput = Pick<Candle, 'high' | 'low' | 'close' | 'volume'>;

const FIELDS = ['high', 'low', 'close', 'volume'] as const;

/**
 * Money flow index, 0 … 100, unrounded: 100 × positive money flow / (positive + negative money flow) over
 * the last `period` changes. Money flow is the typical price (high + low + close) / 3 × volume; it is
 * positive when the typical price rises. Warm from candle `period` + 1 on. Without money flow it is 50
 * (TA-Lib: 0).
 */
export class MoneyFlowIndex implements Indicator<VolumeInput> {
  readonly name = 'mfi';
  /** Number of changes in the window: one less than its candles. */
  readonly period: number;
  readonly warmup: number;
  /** Money flow of rises and of falls in the window. */
  #rising: SumWindow;
  #falling: SumWindow;
  /** Typical price of the previous candle; NaN before the first. */
  #previous = NaN;
  #value = NaN;

  constructor(period: number) {
    checkPeriod('mfi', period);
    this.period = period;
    this.warmup = period + 1;
    this.#rising = new SumWindow(period);
    this.#falling = new SumWindow(period);
  }

  update(candle: VolumeInput): void {
    const { high, low, close, volume } = candle;
    checkCandle('mfi', high + low + close + volume, candle, FIELDS);
    this.#push((high + low + close) / 3, volume);
  }

  next(candle: VolumeInput): number | undefined {
    this.update(candle);
    return undefinedIfNaN(this.#value);
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#value);
  }

  reset(): void {
    this.#rising = new SumWindow(this.period);
    this.#falling = new SumWindow(this.period);
    this.#previous = NaN;
    this.#value = NaN;
  }

  over(candles: InputColumns<VolumeInput>): Float64Array {
    const rows = rowCount('mfi', candles, FIELDS);
    const { high, low, close, volume } = candles;
    const column = columnLike(close, rows);
    const run = new MoneyFlowIndex(this.period);
    for (let row = 0; row < rows; row++) {
      const sum = (high[row] as number) + (low[row] as number) + (close[row] as number);
      const traded = volume[row] as number;
      checkRow('mfi', sum + traded, row, candles, FIELDS);
      run.#push(sum / 3, traded);
      column[row] = run.#value;
    }
    return column;
  }

  #push(price: number, volume: number): void {
    const previous = this.#previous;
    this.#previous = price;
    // NaN: the first candle has no change. Comparing is faster than `Number.isNaN`.
    if (previous !== previous) return;
    const money = price * volume;
    const rising = this.#rising.push(price > previous ? money : 0);
    const total = rising + this.#falling.push(price < previous ? money : 0);
    this.#value = total === 0 ? NEUTRAL : (100 * rising) / total;
  }
}
