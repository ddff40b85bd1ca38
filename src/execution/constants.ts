/** Times and limits of the order protocol; times in monotonic ms. */

/** Delays of the lookups after an unclear reply. */
export const VERIFY_BACKOFF_MS: readonly number[] = [300, 600, 1_200, 2_500, 5_000, 10_000];
/** The same of a market exit. */
export const VERIFY_EXIT_BACKOFF_MS: readonly number[] = [
  300, 500, 500, 500, 500, 1_000, 2_500, 5_000, 10_000,
];
/**
 * Delays of the lookups of an accepted order. The first is short: most market orders are filled by
 * then.
 */
export const POLL_BACKOFF_MS: readonly number[] = [100, 300, 600, 1_200, 2_500, 5_000, 10_000];
/** As `POLL_BACKOFF_MS`, of a limit order: lists of open orders show it too. */
export const RESTING_BACKOFF_MS: readonly number[] = [100, 2_500, 5_000, 10_000];
/** Delays after a 423 or 429, which pass within moments. */
export const RETRY_BACKOFF_MS: readonly number[] = [250, 500, 1_000, 2_000, 4_000];
/** An exit under a temporary hold, such as stale data, is tried again after this time. */
export const HELD_EXIT_RETRY_MS = 1_000;
/** An unproved exit is logged after this time, and each time that it has doubled. */
export const UNPROVED_EXIT_WARNING_MS = 10_000;
/** Delays between two fences under one id. */
export const FENCE_BACKOFF_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000];
/** Delays after a refused or lost cancel. Short, since the rate limit spaces them after a 429. */
export const CANCEL_BACKOFF_MS: readonly number[] = [100, 100, 100, 250, 500, 1_000, 2_000, 4_000];
/** A cancel of unknown outcome waits so long, so often at most, for a lookup that is under way. */
export const CANCEL_DELAY_MS = 100;
export const MAX_CANCEL_DELAYS = 5;
/** Resting orders of a previous run wait this long for a list before single lookups. */
export const RESUMED_QUERY_MS = 2_500;
/** An order in a list of open orders this recent needs no lookup of its own. */
export const LIST_FRESHNESS_MS = 10_000;
/** How long the venue's reads may lag behind its writes. */
export const READ_VISIBILITY_MS = 30_000;
/** The venue's timestamps are whole seconds, and our estimate of its clock is as good. */
export const CLOCK_SLACK_MS = 2_000;
/** How long a row without a time of change is taken for a lagging one. */
export const UNTIMED_READ_MS = 10_000;
/** Reads, and the time that they span, to confirm a quantity without other evidence (hazard G1). */
export const CONFIRMING_READS = 3;
export const CONFIRMING_MS = 5_000;
/** Refusals by the venue's lock before an entry is given up (hazard A8). */
export const MAX_LOCK_REFUSALS = 5;
/** Lookups in a row with a 404 without the venue's envelope: another server (hazard A12). */
export const MAX_UNRECOGNIZED_ANSWERS = 5;
/** Rows per page of order history, and how long before the decision history is read. */
export const HISTORY_LIMIT = 100;
export const HISTORY_SLACK_MS = 60_000;
/** Spaced lookups before an id may be called burned. */
export const BURNED_READS = 5;
/** How long a delayed request may take to land; after it, lookups become sparse. */
export const LATE_LANDING_MS = 120_000;
export const SLOW_QUERY_MS = 60_000;

/** The n-th delay, counted from 0; the last one repeats. */
export function backoffDelay(delays: readonly number[], n: number): number {
  return delays[Math.min(n, delays.length - 1)] ?? 0;
}
