import type { z } from 'zod';
import type { PresetName } from '../preset.js';
import { positiveCount, group, positiveMs } from './limit-values.js';

/** Counts after which entries stop. */
export interface BreakerLimits {
  /** R09: entries of the account in a venue minute; more wait. */
  readonly maxEntriesPerMinute: number;
  /** R23: orders of unknown outcome that block entries of their symbol, and of the account. */
  readonly maxUnknownOrders: { readonly symbol: number; readonly account: number };
  /** R24: rejections in 60 s of a symbol, and in 300 s of the account, monotonic. */
  readonly maxRejections: { readonly symbol: number; readonly account: number };
  /** R25: unknown outcomes and 5xx replies in 60 s, monotonic. */
  readonly maxErrors: number;
  /** R36: starts within 10 min that never reached TRADING. */
  readonly maxFailedStarts: number;
  /** R37: distance of the venue's clock from ours that warns, and that blocks entries, ms. */
  readonly clockSkewMs: { readonly warn: number; readonly block: number };
}

const standard: BreakerLimits = {
  maxEntriesPerMinute: 12,
  maxUnknownOrders: { symbol: 1, account: 3 },
  maxRejections: { symbol: 5, account: 10 },
  maxErrors: 5,
  maxFailedStarts: 5,
  clockSkewMs: { warn: 2_000, block: 10_000 },
};

export const BREAKER_LIMITS: Readonly<Record<PresetName, BreakerLimits>> = {
  cautious: { ...standard, maxEntriesPerMinute: 5, maxRejections: { symbol: 3, account: 6 } },
  standard,
  research: standard,
  none: standard,
};

const scopes = group('{ symbol: 5, account: 10 }', {
  symbol: positiveCount.optional(),
  account: positiveCount.optional(),
}).optional();

export const breakerKeys = {
  max_entries_per_minute: positiveCount.optional(),
  unknown_intents: scopes,
  reject_breaker: scopes,
  error_breaker: positiveCount.optional(),
  crash_loop: positiveCount.optional(),
  max_clock_skew_ms: group('{ warn: 2000, block: 10000 }', {
    warn: positiveMs.optional(),
    block: positiveMs.optional(),
  }).optional(),
};

type Keys = z.infer<z.ZodObject<typeof breakerKeys>>;

export const breakerLimits = (keys: Keys, base: BreakerLimits): BreakerLimits => ({
  maxEntriesPerMinute: keys.max_entries_per_minute ?? base.maxEntriesPerMinute,
  maxUnknownOrders: scoped(keys.unknown_intents, base.maxUnknownOrders),
  maxRejections: scoped(keys.reject_breaker, base.maxRejections),
  maxErrors: keys.error_breaker ?? base.maxErrors,
  maxFailedStarts: keys.crash_loop ?? base.maxFailedStarts,
  clockSkewMs: {
    warn: keys.max_clock_skew_ms?.warn ?? base.clockSkewMs.warn,
    block: keys.max_clock_skew_ms?.block ?? base.clockSkewMs.block,
  },
});

const scoped = (
  keys: Keys['reject_breaker'],
  base: BreakerLimits['maxRejections'],
): BreakerLimits['maxRejections'] => ({
  symbol: keys?.symbol ?? base.symbol,
  account: keys?.account ?? base.account,
});
