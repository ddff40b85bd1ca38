/**
 * Default number of retained orders without a fill: tens of megabytes, and minutes of the busiest
 * account (docs/sandbox.md, Retention).
 */
export const RETAINED_ORDERS = 20_000;
