/** Facts about a position whose stop is missing, proved by two agreeing reads. */
export interface NakedPosition {
  /** Since the start of the last read that showed its stop, monotonic ms. */
  readonly nakedMs: number;
  /** `max_naked_ms`. */
  readonly maxNakedMs: number;
  /** Refusals of its stop for substance since then. Locks, rate limits and outages are none. */
  readonly refusals: number;
  /** The market has passed the price of the stop; undefined: no fresh price. */
  readonly isPricePassed: boolean | undefined;
  /** Stops of more than one symbol were refused within a minute. */
  readonly isOutage: boolean;
}

export type NakedPositionAction =
  /** Set the required stop. */
  | { readonly kind: 'set' }
  /** Set a stop from freshly read rules and the present price. */
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'close'; readonly reason: string };

/**
 * While the venue refuses the stops of several symbols, a position with a fresh price stays open for this
 * multiple of `max_naked_ms` (docs/risk.md, missing stops).
 */
export const OUTAGE_FACTOR = 10;
/** Refusals of one stop, the first of which leads to a rebuilt one. */
const MAX_REFUSALS = 2;

/**
 * R18: a position without its stop gets one, or closes. Exits only; it never adds exposure. An unknown price
 * shortens the time of an outage, because then nothing watches the price of the stop.
 */
export function judgeNakedPosition(naked: NakedPosition): NakedPositionAction {
  const { nakedMs, maxNakedMs, refusals, isPricePassed, isOutage } = naked;
  if (isPricePassed === true) return close('the market has passed the price of its stop');
  const isWatched = isOutage && isPricePassed === false;
  const limitMs = isWatched ? maxNakedMs * OUTAGE_FACTOR : maxNakedMs;
  if (nakedMs >= limitMs) return close(`no stop was proved within ${limitMs} ms`);
  if (isOutage) return { kind: 'set' };
  if (refusals >= MAX_REFUSALS) return close('the venue refused its stop twice');
  return { kind: refusals === 0 ? 'set' : 'rebuild' };
}

const close = (reason: string): NakedPositionAction => ({ kind: 'close', reason });
