import { MINUTE_MS } from '../../core/interval.js';
import { candleFault, type Candle } from '../../core/candle.js';

/** Maximum candles that wait behind a gap. REST is queried for the rest. */
const MAX_WAITING = 120;
/** Delivered candles that are retained to distinguish a duplicate from a revision. */
const MAX_REMEMBERED = 120;

/** ms UTC; `fromMs` inclusive, `toMs` exclusive. */
export interface MissingRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The result of an offer. `revision`: other values for a candle that was delivered. */
export type OfferResult =
  'taken' | 'duplicate' | 'late' | 'revision' | 'overflow' | 'invalid' | 'too-early';

/**
 * Orders the one-minute candles of one symbol. For any input, the output is strictly ascending, closed,
 * and without gaps or duplicates (property P18). It has no clock: the caller passes the time.
 */
export class CandleSequence {
  #last: number;
  #requiredUntil = -Infinity;
  readonly #waiting = new Map<number, Candle>();
  readonly #delivered = new Map<number, Candle>();

  /** @param lastOpenTime of the newest candle already delivered (where the warm-up ended), ms UTC */
  constructor(lastOpenTime: number) {
    this.#last = lastOpenTime;
  }

  get lastOpenTime(): number {
    return this.#last;
  }
  get nextOpenTime(): number {
    return this.#last + MINUTE_MS;
  }

  /**
   * Offers a candle of the stream.
   * @param openUntil venue ms; a candle that opens later is rejected
   */
  offer(candle: Candle, openUntil: number): OfferResult {
    if (this.#isFull(candle.openTime) && candle.openTime <= openUntil) {
      this.requireUntil(candle.openTime + MINUTE_MS);
      return 'overflow';
    }
    return this.offerRepaired(candle, openUntil);
  }

  /** Offers a candle of a repair. The requested range bounds their number. */
  offerRepaired(candle: Candle, openUntil: number): OfferResult {
    const { openTime } = candle;
    if (candleFault(candle) !== undefined || openTime % MINUTE_MS !== 0) return 'invalid';
    if (openTime > openUntil) return 'too-early';
    if (openTime <= this.#last) return this.#classifyDelivered(candle);
    const waiting = this.#waiting.get(openTime);
    if (waiting !== undefined && sameValues(waiting, candle)) return 'duplicate';
    // Not delivered yet, so the newer values win: the older ones may be of a candle still open.
    this.#waiting.set(openTime, candle);
    return 'taken';
  }

  /** Requires every candle that opens before `untilMs`. Absent ones become `missing`. */
  requireUntil(untilMs: number): void {
    if (untilMs > this.#requiredUntil) this.#requiredUntil = untilMs;
  }

  /** Removes and returns the next candles in order that closed by `closedUntil` (venue ms). */
  takeClosed(closedUntil: number): Candle[] {
    const closed: Candle[] = [];
    for (;;) {
      const candle = this.#waiting.get(this.nextOpenTime);
      if (candle === undefined || this.nextOpenTime + MINUTE_MS > closedUntil) return closed;
      this.#waiting.delete(candle.openTime);
      this.#last = candle.openTime;
      this.#remember(candle);
      closed.push(candle);
    }
  }

  /** The range to request from REST; undefined if no candle is missing. */
  missing(): MissingRange | undefined {
    const fromMs = this.nextOpenTime;
    if (this.#waiting.has(fromMs)) return undefined;
    const toMs = Math.max(this.#requiredUntil, this.earliestWaiting() ?? -Infinity);
    return toMs > fromMs ? { fromMs, toMs } : undefined;
  }

  earliestWaiting(): number | undefined {
    let earliest: number | undefined;
    for (const openTime of this.#waiting.keys()) {
      if (earliest === undefined || openTime < earliest) earliest = openTime;
    }
    return earliest;
  }

  /** Continues the series at `openTime`: the venue has no candles before it. */
  skipTo(openTime: number): void {
    this.#last = openTime - MINUTE_MS;
  }

  #classifyDelivered(candle: Candle): OfferResult {
    const delivered = this.#delivered.get(candle.openTime);
    if (delivered === undefined) return 'late';
    return sameValues(delivered, candle) ? 'duplicate' : 'revision';
  }

  #isFull(openTime: number): boolean {
    if (this.#waiting.size < MAX_WAITING || this.#waiting.has(openTime)) return false;
    return openTime > this.nextOpenTime && openTime % MINUTE_MS === 0;
  }

  #remember(candle: Candle): void {
    this.#delivered.set(candle.openTime, candle);
    if (this.#delivered.size <= MAX_REMEMBERED) return;
    const oldest = this.#delivered.keys().next();
    if (oldest.done !== true) this.#delivered.delete(oldest.value);
  }
}

const sameValues = (a: Candle, b: Candle): boolean =>
  a.open === b.open &&
  a.high === b.high &&
  a.low === b.low &&
  a.close === b.close &&
  a.volume === b.volume;
