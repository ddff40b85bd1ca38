/** Candle intervals, in the spelling of this framework. */
export type Interval =
  | '1s'
  | '1m'
  | '3m'
  | '5m'
  | '10m'
  | '15m'
  | '30m'
  | '1h'
  | '4h'
  | '6h'
  | '12h'
  | '1d'
  | '1w'
  | '1M';

export const MINUTE_MS = 60_000;
const HOUR = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR;
/** 1970-01-01 was a Thursday. Weeks open on Monday 00:00 UTC (supplement: candles). */
const MONDAY_OFFSET = 4 * DAY_MS;

/** Fixed lengths in ms. A month has none: see `openTimeOf` and `closeTimeOf`. */
const LENGTH_MS: Readonly<Record<Exclude<Interval, '1M'>, number>> = {
  '1s': 1_000,
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '10m': 10 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR,
  '4h': 4 * HOUR,
  '6h': 6 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY_MS,
  '1w': 7 * DAY_MS,
};

export const INTERVALS = [...Object.keys(LENGTH_MS), '1M'] as readonly Interval[];
export const isInterval = (text: string): text is Interval =>
  (INTERVALS as readonly string[]).includes(text);

/** Open time (ms UTC) of the bucket that holds `timeMs`; UTC aligned. */
export function openTimeOf(interval: Interval, timeMs: number): number {
  if (interval === '1M') return monthStart(timeMs, 0);
  const length = LENGTH_MS[interval];
  const offset = interval === '1w' ? MONDAY_OFFSET : 0;
  return Math.floor((timeMs - offset) / length) * length + offset;
}

/** Close time (ms UTC, exclusive) of the bucket that opens at `openTimeMs`. */
export function closeTimeOf(interval: Interval, openTimeMs: number): number {
  return interval === '1M' ? monthStart(openTimeMs, 1) : openTimeMs + LENGTH_MS[interval];
}

/** Nominal length in ms; a month counts 30 days. For time-outs and display, not for alignment. */
export const nominalMs = (interval: Interval): number =>
  interval === '1M' ? 30 * DAY_MS : LENGTH_MS[interval];

function monthStart(timeMs: number, ahead: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1);
}
