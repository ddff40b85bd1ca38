import type { Candle } from '../../core/candle.js';
import { checkRow, columnBeside, rowCount } from './column.js';
import { checkCandle, checkPeriod, known, type Indicator, type InputColumns } from './indicator.js';
import { FLAT } from './strength.js';
import { SumWindow } from './sum-window.js';

/** What an indicator of volume reads of a candle. */
export type VolumeInput = Pick<Candle, 'high' | 'low' | 'close' | 'volume'>;

const FIELDS = ['high', 'low', 'close', 'volume'] as const;

/**
 * Money flow index, 0 … 100, unrounded: 100 × money that came in with rising typical prices / money that
 * came in with rising or falling ones, over the last `period` changes; money is (high + low + close) / 3
 * × volume. Warm from candle `period` + 1 on. Without any such money it is 50 (TA-Lib: 0).
 */
export class MoneyFlowIndex implements Indicator<VolumeInput> {
  readonly name = 'mfi';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  #rising: SumWindow;
  #falling: SumWindow;
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
    return known(this.#value);
  }

  get value(): number | undefined {
    return known(this.#value);
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
    const column = columnBeside(close, rows);
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
    if (previous !== previous) return;
    const money = price * volume;
    const rising = this.#rising.push(price > previous ? money : 0);
    const both = rising + this.#falling.push(price < previous ? money : 0);
    this.#value = both === 0 ? FLAT : (100 * rising) / both;
  }
}
