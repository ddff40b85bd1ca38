import type { BreakerLimits } from './limits/breaker-limits.js';
import type { Restriction } from './restrictions.js';

/** Windows of the circuit breakers, monotonic ms (docs/risk.md). */
export const REJECTION_WINDOWS_MS = { symbol: 60_000, account: 300_000 } as const;
export const ERROR_WINDOW_MS = 60_000;
/** Window of R36, venue ms: no other clock outlives a process. */
export const FAILED_START_WINDOW_MS = 600_000;
/** R24: a rejection for a missing balance, which repeats until a person acts, counts double. */
export const BALANCE_REJECTION_WEIGHT = 2;

const SELF_CLEARING = { to: 'REDUCE_ONLY', class: 'self-clearing' } as const;

/** R23: so many orders of unknown outcome that the account's exposure is a guess. */
export function unknownOrdersRestriction(
  count: number,
  { maxUnknownOrders: { account: limit } }: BreakerLimits,
): Restriction | undefined {
  if (count < limit) return undefined;
  const cause = `${count} orders have an unknown outcome, limit ${limit} (unknown_intents)`;
  return { control: 'R23', ...SELF_CLEARING, cause };
}

/** R24: the venue rejects orders of one symbol. `weight`: rejections in the window. */
export function symbolRejectionsRestriction(
  symbol: string,
  weight: number,
  { maxRejections: { symbol: limit } }: BreakerLimits,
): Restriction | undefined {
  if (weight < limit) return undefined;
  const cause = `${weight} rejections in 60 s, limit ${limit} (reject_breaker)`;
  return { control: 'R24', symbol, ...SELF_CLEARING, cause };
}

/** R24: the venue rejects orders of the account. */
export function accountRejectionsRestriction(
  weight: number,
  { maxRejections: { account: limit } }: BreakerLimits,
): Restriction | undefined {
  if (weight < limit) return undefined;
  const cause = `${weight} rejections in 300 s, limit ${limit} (reject_breaker)`;
  return { control: 'R24', ...SELF_CLEARING, cause };
}

/** R25: requests end without a clear answer, or with a 5xx. */
export function errorsRestriction(
  count: number,
  { maxErrors: limit }: BreakerLimits,
): Restriction | undefined {
  if (count < limit) return undefined;
  const cause = `${count} unknown or 5xx outcomes in 60 s, limit ${limit} (error_breaker)`;
  return { control: 'R25', ...SELF_CLEARING, cause };
}

/** R36: starts in a row that never reached TRADING. */
export function failedStartsRestriction(
  count: number,
  { maxFailedStarts: limit }: BreakerLimits,
): Restriction | undefined {
  if (count < limit) return undefined;
  const cause = `${count} starts within 10 min never reached TRADING, limit ${limit} (crash_loop)`;
  return { control: 'R36', to: 'HALTED', class: 'latching', cause };
}

/** R37: the venue's clock minus this machine's, ms; the limits are distances in either direction. */
export function clockSkewRestriction(
  skewMs: number,
  { clockSkewMs: { block } }: BreakerLimits,
): Restriction | undefined {
  // Not `>`: an unknown skew blocks.
  if (Math.abs(skewMs) <= block) return undefined;
  const cause = `the venue's clock is ${Math.round(skewMs)} ms from this machine's, limit ${block} ms (max_clock_skew_ms). Check NTP`;
  return { control: 'R37', ...SELF_CLEARING, cause };
}

export const isSkewWarned = (skewMs: number, { clockSkewMs: { warn } }: BreakerLimits): boolean =>
  !(Math.abs(skewMs) <= warn);
