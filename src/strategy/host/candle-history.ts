import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import { CandleColumns, CandleView } from '../../market/candle-columns.js';
import type { CandleHistory } from '../views.js';

const NO_CANDLES = new CandleColumns(0);

/**
 * A series up to the candle that closed last. The columns of a backtest hold the future too: nothing
 * beyond `length` is ever read.
 */
export class SeenCandles implements CandleHistory {
  readonly interval: Interval;
  /** Of the last candle; before the first one it has no values. */
  readonly view = new CandleView(NO_CANDLES);
  #columns = NO_CANDLES;
  #length = 0;

  constructor(interval: Interval) {
    this.interval = interval;
  }

  /** The candle at `index` has closed. */
  show(columns: CandleColumns, index: number): void {
    if (this.#columns !== columns) {
      this.#columns = columns;
      this.view.columns = columns;
    }
    this.view.index = index;
    this.#length = index + 1;
  }

  get length(): number {
    return this.#length;
  }
  get last(): Candle | undefined {
    return this.#length === 0 ? undefined : this.view;
  }

  ago(count: number): Candle | undefined {
    const index = this.#length - 1 - count;
    return count >= 0 && index >= 0 ? this.#columns.at(index) : undefined;
  }

  closes(count: number): readonly number[] {
    const from = Math.max(0, this.#length - Math.max(0, count));
    return [...this.#columns.close.subarray(from, this.#length)];
  }
}
