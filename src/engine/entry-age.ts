import { nominalMs, type Interval } from '../core/interval.js';

/** Share of a candle's length that an entry may be old, and the ends of it, monotonic ms (R27). */
const SHARE = 0.05;
const LEAST_ENTRY_AGE_MS = 3_000;
export const MOST_ENTRY_AGE_MS = 60_000;

/** How old an entry of a strategy on this interval may be when its request leaves, monotonic ms. */
export const defaultEntryAgeMs = (interval: Interval): number =>
  Math.min(Math.max(SHARE * nominalMs(interval), LEAST_ENTRY_AGE_MS), MOST_ENTRY_AGE_MS);
