import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import { CandleColumns, CandleView } from '../../market/candles/candle-columns.js';
import type { CandleHistory } from '../contract/views.js';

const NO_CANDLES = new CandleColumns(0);

/**
 * A series up to the last closed candle. The columns of a backtest hold future candles too: nothing
 * beyond `length` is ever read.
 */
export class ClosedCandleHistory implements CandleHistory {
  readonly interval: Interval;
  /** View of the last candle; before the first one it has no values. */
  readonly view = new CandleView(NO_CANDLES);
  #columns = NO_CANDLES;
  #length = 0;

  constructor(interval: Interval) {
    this.interval = interval;
  }

  /** The candle at `index` has closed. */
  advanceTo(columns: CandleColumns, index: number): void {
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
