import { assert } from '../core/assert.js';
import { closeTimeOf, nominalMs, openTimeOf, type Interval } from '../core/interval.js';
import { CandleColumns, CandleView } from './candle-columns.js';

const DAY_MS = 86_400_000;

/** Whether whole buckets of `base` fill the buckets of `target` exactly. */
export function canAggregate(base: Interval, target: Interval): boolean {
  if (base === target) return true;
  if (base === '1M') return false;
  // Months and weeks open at midnight UTC: whatever divides a day divides them.
  if (target === '1M' || target === '1w') return DAY_MS % nominalMs(base) === 0;
  return nominalMs(target) % nominalMs(base) === 0;
}

/**
 * Closed candles of a short interval into closed candles of a longer one, UTC aligned, one at a
 * time. Finished aggregates are appended to `closed`.
 *
 * - A bucket is finished when the candle that ends it arrives, never before its close.
 * - Where candles are missing, the bucket is made of those that exist (as the venue does it), and
 *   when its last one is missing it is finished by the first candle of a later bucket. A bucket
 *   without any candle does not exist: nothing is invented.
 * - The bucket in which the series begins is left out, unless the series begins with its first
 *   candle: its open would be wrong.
 */
export class CandleAggregator {
  readonly base: Interval;
  readonly target: Interval;
  readonly closed = new CandleColumns();

  #lastOpenTime = -Infinity;
  #bucketClose = -Infinity;
  #openTime = 0;
  #open = 0;
  #high = 0;
  #low = 0;
  #close = 0;
  #volume = 0;
  /** The bucket now open holds a candle and began with the series or after it. */
  #whole = false;

  constructor(base: Interval, target: Interval) {
    assert(canAggregate(base, target), `${base} candles fill ${target} candles exactly`);
    this.base = base;
    this.target = target;
  }

  /**
   * Takes the next closed base candle; times ascend.
   * @returns how many aggregates it finished: 0, 1, or 2 after a gap; they are the last of `closed`
   */
  next(
    openTime: number,
    open: number,
    high: number,
    low: number,
    close: number,
    volume: number,
  ): number {
    assert(openTime > this.#lastOpenTime, 'Candles of a series ascend in time');
    let finished = 0;
    if (openTime >= this.#bucketClose) {
      finished += this.#finish();
      this.#begin(openTime, open);
    }
    this.#lastOpenTime = openTime;
    if (high > this.#high) this.#high = high;
    if (low < this.#low) this.#low = low;
    this.#close = close;
    this.#volume += volume;
    if (closeTimeOf(this.base, openTime) >= this.#bucketClose) finished += this.#finish();
    return finished;
  }

  /** The whole series: the aggregates of candles that are already there. */
  static of(columns: CandleColumns, base: Interval, target: Interval): CandleColumns {
    const aggregator = new CandleAggregator(base, target);
    const candle = new CandleView(columns);
    for (; candle.index < columns.length; candle.index++) {
      const { openTime, open, high, low, close, volume } = candle;
      aggregator.next(openTime, open, high, low, close, volume);
    }
    return aggregator.closed;
  }

  #begin(openTime: number, open: number): void {
    const first = this.#lastOpenTime === -Infinity;
    this.#openTime = openTimeOf(this.target, openTime);
    this.#bucketClose = closeTimeOf(this.target, this.#openTime);
    this.#whole = !first || openTime === this.#openTime;
    this.#open = open;
    this.#high = -Infinity;
    this.#low = Infinity;
    this.#volume = 0;
  }

  #finish(): number {
    if (!this.#whole) return 0;
    this.#whole = false;
    this.closed.append(
      this.#openTime,
      this.#open,
      this.#high,
      this.#low,
      this.#close,
      this.#volume,
    );
    return 1;
  }
}
