/** Time constants of the order protocol (reliability part 0.7), monotonic ms. */

/** After an unclear answer, before the first look. */
export const VERIFY_SPACING_MS: readonly number[] = [300, 600, 1_200, 2_500, 5_000, 10_000];
/** An accepted order's first look comes soon: most market orders are filled by then. */
export const POLL_SPACING_MS: readonly number[] = [100, 300, 600, 1_200, 2_500, 5_000, 10_000];
/** The same of a limit order. */
export const RESTING_SPACING_MS: readonly number[] = [100, 2_500, 5_000, 10_000];
/** A 423 or 429 holds the symbol or the budget for a moment only. */
export const RETRY_SPACING_MS: readonly number[] = [250, 500, 1_000, 2_000, 4_000];
/** An exit that is held for what passes, such as data that is too old, asks again after so long. */
export const HELD_EXIT_MS = 1_000;
/** An exit whose outcome is not proved is logged after so long, and each time that it has doubled. */
export const UNPROVED_EXIT_MS = 10_000;
/** Between two fences under one id, where the first proved nothing. */
export const FENCE_SPACING_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000];
/** A cancel that was refused or lost goes again soon: the rate budget spaces what a 429 asks for (T16). */
export const CANCEL_SPACING_MS: readonly number[] = [100, 100, 100, 250, 500, 1_000, 2_000, 4_000];
/** Before what an earlier life left at the venue is asked for one by one. */
export const RESUMED_LOOK_MS = 2_500;
/** An order that a list of open orders showed so lately needs no look of its own. */
export const LISTED_FOR_MS = 10_000;
/** How long a venue's reads may lag behind its writes. */
export const READ_VISIBILITY_MS = 30_000;
/** Its timestamps are whole seconds, and our picture of its clock is as good. */
export const CLOCK_SLACK_MS = 2_000;
/** How long a row that does not tell its time of change is taken for an old one. */
export const UNTIMED_READ_MS = 10_000;
/** How often, and over how long, the venue must repeat a claim that nothing else supports (G1). */
export const CONFIRMING_READS = 3;
export const CONFIRMING_MS = 5_000;
/** Times that a held lock refuses an opening order before it is given up (hazard A8). */
export const MAX_LOCKED = 5;
/** Lookups in a row that meet a 404 without an envelope: the address is not the venue's (A12). */
export const MAX_STRANGE_ANSWERS = 5;
/** Rows of a page of order history, which is read back to before an order was decided on. */
export const HISTORY_LIMIT = 100;
export const HISTORY_SLACK_MS = 60_000;
/** Spaced reads before an id may be called burned. */
export const BURNED_READS = 5;
/** How long a late request may dawdle before looks become sparse. */
export const LATE_LANDING_MS = 120_000;
export const SPARSE_LOOK_MS = 60_000;

/** The n-th delay of a spacing; the last one repeats. */
export function spaced(spacing: readonly number[], n: number): number {
  return spacing[Math.min(n, spacing.length - 1)] ?? 0;
}
