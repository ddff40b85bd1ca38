import { candleFault, type Candle } from '../core/candle.js';

export const MINUTE_MS = 60_000;
/** Frames that wait behind a hole; what does not fit is asked of REST again. */
const MAX_WAITING = 120;
/** Delivered candles that are remembered, to tell a duplicate from a revision. */
const MAX_REMEMBERED = 120;

/** ms UTC; `fromMs` inclusive, `toMs` exclusive. */
export interface MissingRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What became of an offered candle. `revision`: other values for a candle that was delivered. */
export type Reception =
  'taken' | 'duplicate' | 'late' | 'revision' | 'overflow' | 'invalid' | 'too-early';

/**
 * The one-minute candles of one symbol put in order: whatever is offered, what comes out is strictly
 * ascending, without a gap or a duplicate, and closed (property P18). Pure; time is told to it.
 */
export class CandleSequence {
  #last: number;
  #wantedUntil = -Infinity;
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
   * A candle of the stream.
   * @param openUntil candles that open later than this venue time are not believed
   */
  offer(candle: Candle, openUntil: number): Reception {
    if (this.#isFull(candle.openTime) && candle.openTime <= openUntil) {
      this.want(candle.openTime + MINUTE_MS);
      return 'overflow';
    }
    return this.offerRepaired(candle, openUntil);
  }

  /** A candle that was asked for: the range bounds how many there are. */
  offerRepaired(candle: Candle, openUntil: number): Reception {
    const { openTime } = candle;
    if (candleFault(candle) !== undefined || openTime % MINUTE_MS !== 0) return 'invalid';
    if (openTime > openUntil) return 'too-early';
    if (openTime <= this.#last) return this.#receiveLate(candle);
    const waiting = this.#waiting.get(openTime);
    if (waiting !== undefined && sameValues(waiting, candle)) return 'duplicate';
    // Not delivered yet, so the newer word holds: the older one may have been a candle still forming.
    this.#waiting.set(openTime, candle);
    return 'taken';
  }

  /** Everything that opens before `untilMs` is to be had, by REST if need be. */
  want(untilMs: number): void {
    if (untilMs > this.#wantedUntil) this.#wantedUntil = untilMs;
  }

  /** Takes out the candles whose turn it is and that closed by `closedUntil` (venue ms). */
  take(closedUntil: number): Candle[] {
    const taken: Candle[] = [];
    for (;;) {
      const candle = this.#waiting.get(this.nextOpenTime);
      if (candle === undefined || this.nextOpenTime + MINUTE_MS > closedUntil) return taken;
      this.#waiting.delete(candle.openTime);
      this.#last = candle.openTime;
      this.#remember(candle);
      taken.push(candle);
    }
  }

  /** What to ask of REST; undefined when nothing lacks. */
  missing(): MissingRange | undefined {
    const fromMs = this.nextOpenTime;
    if (this.#waiting.has(fromMs)) return undefined;
    const toMs = Math.max(this.#wantedUntil, this.earliestWaiting() ?? -Infinity);
    return toMs > fromMs ? { fromMs, toMs } : undefined;
  }

  earliestWaiting(): number | undefined {
    let earliest: number | undefined;
    for (const openTime of this.#waiting.keys()) {
      if (earliest === undefined || openTime < earliest) earliest = openTime;
    }
    return earliest;
  }

  /** The venue has no candles before `openTime`: the series goes on there. */
  skipTo(openTime: number): void {
    this.#last = openTime - MINUTE_MS;
  }

  #receiveLate(candle: Candle): Reception {
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
