import { assert } from '../../core/assert.js';
import type { Candle } from '../../core/candle.js';

/** One column per candle field. Open time in ms UTC, prices in USDT, volume in base units. */
export interface CandleArrays {
  readonly openTime: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}

const INITIAL_CAPACITY = 1_024;

/**
 * Candles as columns, without an object per candle. The arrays may be longer than `length`, and
 * `append` may replace them. A hot loop may hold the arrays only while nothing is appended.
 */
export class CandleColumns implements CandleArrays {
  #arrays: CandleArrays;
  #capacity: number;
  #length: number;

  constructor(capacity = INITIAL_CAPACITY) {
    assert(Number.isSafeInteger(capacity) && capacity >= 0, 'A capacity is a count');
    this.#arrays = allocate(capacity);
    this.#capacity = capacity;
    this.#length = 0;
  }

  /** Copies the candles. */
  static from(candles: Iterable<Candle>): CandleColumns {
    const columns = new CandleColumns();
    for (const candle of candles) columns.push(candle);
    return columns;
  }

  /** Wraps the given arrays without copying them: they may be shared memory. All rows count. */
  static wrap(arrays: CandleArrays): CandleColumns {
    const columns = new CandleColumns(0);
    const length = arrays.openTime.length;
    columns.#arrays = mapArrays(arrays, (column) => {
      assert(column.length === length, 'Candle columns have one length');
      return column;
    });
    columns.#capacity = length;
    columns.#length = length;
    return columns;
  }

  /** The candles of all parts, copied unless there is one. The caller guarantees that the parts ascend. */
  static join(parts: readonly CandleColumns[]): CandleColumns {
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return only;
    const joined = new CandleColumns(parts.reduce((sum, { length }) => sum + length, 0));
    for (const part of parts) {
      for (const name of Object.keys(part.#arrays) as (keyof CandleArrays)[])
        joined.#arrays[name].set(part.#arrays[name].subarray(0, part.length), joined.#length);
      joined.#length += part.length;
    }
    return joined;
  }

  get length(): number {
    return this.#length;
  }
  get openTime(): Float64Array {
    return this.#arrays.openTime;
  }
  get open(): Float64Array {
    return this.#arrays.open;
  }
  get high(): Float64Array {
    return this.#arrays.high;
  }
  get low(): Float64Array {
    return this.#arrays.low;
  }
  get close(): Float64Array {
    return this.#arrays.close;
  }
  get volume(): Float64Array {
    return this.#arrays.volume;
  }

  /** Amortized O(1). The caller guarantees ascending open times. */
  append(
    openTime: number,
    open: number,
    high: number,
    low: number,
    close: number,
    volume: number,
  ): void {
    if (this.#length === this.#capacity) this.#grow();
    const index = this.#length;
    const arrays = this.#arrays;
    arrays.openTime[index] = openTime;
    arrays.open[index] = open;
    arrays.high[index] = high;
    arrays.low[index] = low;
    arrays.close[index] = close;
    arrays.volume[index] = volume;
    this.#length = index + 1;
  }

  push(candle: Candle): void {
    const { openTime, open, high, low, close, volume } = candle;
    this.append(openTime, open, high, low, close, volume);
  }

  /** A copy of one candle, which may be retained. @throws AssertionError for an index out of range */
  at(index: number): Candle {
    // The message is built only on failure: a stream takes a copy of every candle.
    if (!(index >= 0 && index < this.#length))
      assert(false, `There is no candle ${index} of ${this.#length}`);
    const { openTime, open, high, low, close, volume } = this.#arrays;
    return {
      openTime: openTime[index] as number,
      open: open[index] as number,
      high: high[index] as number,
      low: low[index] as number,
      close: close[index] as number,
      volume: volume[index] as number,
    };
  }

  /** Index of the first candle that opens at or after `timeMs`, or `length`. */
  indexFrom(timeMs: number): number {
    const times = this.#arrays.openTime;
    const length = this.#length;
    const last = length - 1;
    if (length === 0 || timeMs > (times[last] as number)) return length;
    const first = times[0] as number;
    if (!(timeMs > first)) return 0;
    // Candles are mostly evenly spaced: the first guess is then the answer.
    const share = (timeMs - first) / ((times[last] as number) - first);
    const guess = Math.min(last, Math.ceil(share * last));
    const isAfter = (times[guess] as number) < timeMs;
    if (!isAfter && (times[guess - 1] as number) < timeMs) return guess;
    let [low, high] = isAfter ? [guess + 1, last] : [1, guess];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((times[middle] as number) < timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Index of the last candle that opens at `timeMs` or before, whole ms; 0 if there is none. */
  indexAt(timeMs: number): number {
    return Math.max(0, this.indexFrom(timeMs + 1) - 1);
  }

  /** The candles with `fromMs` ≤ open time < `toMs`, over the same memory. */
  within(fromMs: number, toMs: number): CandleColumns {
    const first = this.indexFrom(fromMs);
    const end = Math.max(first, this.indexFrom(toMs));
    return CandleColumns.wrap(mapArrays(this.#arrays, (column) => column.subarray(first, end)));
  }

  #grow(): void {
    const capacity = Math.max(INITIAL_CAPACITY, this.#capacity * 2);
    this.#arrays = mapArrays(this.#arrays, (column) => {
      const grown = new Float64Array(capacity);
      grown.set(column.subarray(0, this.#length));
      return grown;
    });
    this.#capacity = capacity;
  }
}

/**
 * A view of one candle in its columns. One object serves a whole run by moving `index`, so its values
 * change: copy a candle to retain it (`columns.at`).
 *
 * The getters belong to a class: getters of an object literal were measured seven times slower.
 */
export class CandleView implements Candle {
  columns: CandleArrays;
  index: number;

  constructor(columns: CandleArrays, index = 0) {
    this.columns = columns;
    this.index = index;
  }

  get openTime(): number {
    return this.columns.openTime[this.index] as number;
  }
  get open(): number {
    return this.columns.open[this.index] as number;
  }
  get high(): number {
    return this.columns.high[this.index] as number;
  }
  get low(): number {
    return this.columns.low[this.index] as number;
  }
  get close(): number {
    return this.columns.close[this.index] as number;
  }
  get volume(): number {
    return this.columns.volume[this.index] as number;
  }
}

const allocate = (capacity: number): CandleArrays => ({
  openTime: new Float64Array(capacity),
  open: new Float64Array(capacity),
  high: new Float64Array(capacity),
  low: new Float64Array(capacity),
  close: new Float64Array(capacity),
  volume: new Float64Array(capacity),
});

const mapArrays = (
  arrays: CandleArrays,
  change: (column: Float64Array) => Float64Array,
): CandleArrays => ({
  openTime: change(arrays.openTime),
  open: change(arrays.open),
  high: change(arrays.high),
  low: change(arrays.low),
  close: change(arrays.close),
  volume: change(arrays.volume),
});
