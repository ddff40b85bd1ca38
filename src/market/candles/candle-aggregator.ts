import { assert } from '../../core/assert.js';
import { closeTimeOf, nominalMs, openTimeOf, type Interval } from '../../core/interval.js';
import { CandleColumns, CandleView } from './candle-columns.js';

const DAY_MS = 86_400_000;

/** Whether every bucket of `target` consists of whole buckets of `base`. */
export function canAggregate(base: Interval, target: Interval): boolean {
  if (base === target) return true;
  if (base === '1M') return false;
  // Months and weeks open at midnight UTC, so every divisor of a day divides them.
  if (target === '1M' || target === '1w') return DAY_MS % nominalMs(base) === 0;
  return nominalMs(target) % nominalMs(base) === 0;
}

/**
 * Aggregates closed candles of a short interval into closed candles of a longer one, aligned to UTC.
 * Finished aggregates are appended to `closed`.
 *
 * - A bucket ends with its last base candle, never before its close.
 * - If candles are missing, the bucket consists of the existing ones, as at the venue. If its last one is
 *   missing, the first candle of a later bucket ends it. A bucket without candles does not exist.
 * - The first bucket is omitted unless the series begins with its first candle: its open would be wrong.
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
  /** Whether the current bucket holds a candle and its beginning lies within the series. */
  #isComplete = false;

  constructor(base: Interval, target: Interval) {
    assert(canAggregate(base, target), `${base} candles fill ${target} candles exactly`);
    this.base = base;
    this.target = target;
  }

  /**
   * Adds the next closed base candle. Open times must ascend.
   * @returns number of aggregates that it finished: 0, 1, or 2 after a gap. They are the last of `closed`.
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
      finished += this.#finishBucket();
      this.#startBucket(openTime, open);
    }
    this.#lastOpenTime = openTime;
    if (high > this.#high) this.#high = high;
    if (low < this.#low) this.#low = low;
    this.#close = close;
    this.#volume += volume;
    if (closeTimeOf(this.base, openTime) >= this.#bucketClose) finished += this.#finishBucket();
    return finished;
  }

  /** Aggregates a whole series. */
  static aggregate(columns: CandleColumns, base: Interval, target: Interval): CandleColumns {
    const aggregator = new CandleAggregator(base, target);
    const candle = new CandleView(columns);
    for (; candle.index < columns.length; candle.index++) {
      const { openTime, open, high, low, close, volume } = candle;
      aggregator.next(openTime, open, high, low, close, volume);
    }
    return aggregator.closed;
  }

  #startBucket(openTime: number, open: number): void {
    const first = this.#lastOpenTime === -Infinity;
    this.#openTime = openTimeOf(this.target, openTime);
    this.#bucketClose = closeTimeOf(this.target, this.#openTime);
    this.#isComplete = !first || openTime === this.#openTime;
    this.#open = open;
    this.#high = -Infinity;
    this.#low = Infinity;
    this.#volume = 0;
  }

  #finishBucket(): number {
    if (!this.#isComplete) return 0;
    this.#isComplete = false;
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
