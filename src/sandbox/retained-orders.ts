/**
 * How many orders that ended without a fill a sandbox remembers unless told otherwise: tens of
 * megabytes, and minutes of the busiest account (docs/sandbox.md, Retention).
 */
export const RETAINED_ORDERS = 20_000;
