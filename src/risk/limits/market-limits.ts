import { z } from 'zod';
import { fixedFromText, type Ratio } from '../../core/fixed/fixed.js';
import type { PresetName } from '../preset.js';
import { bps, group, positiveMs, percent, positive } from './limit-values.js';

/** Limits of entries by the state of the market. */
export interface MarketLimits {
  /** R04: whether entries may be market orders. An order is never converted. */
  readonly marketEntries: boolean;
  /** R27: move of the price from an entry's decision to its request, basis points. */
  readonly maxDriftBps: Ratio;
  /** R38: move within 1 s, and gap between mark and last price, as fractions. */
  readonly maxPriceJump: Ratio;
  readonly maxMarkGap: Ratio;
  /** R39: slippage of an entry's fill, basis points; three within 10 venue minutes stop the strategy. */
  readonly maxFillSlippageBps: Ratio;
  /** R41: predicted funding cost of an entry within 60 s before a settlement, basis points. */
  readonly fundingBps: { readonly warn: Ratio; readonly refuse: Ratio };
  /** R42: age of the INR rate, venue ms. */
  readonly maxHedgeRateAgeMs: number;
  /** R43: range of a minute, as a multiple of the average range of 60 minutes. */
  readonly maxVolatility: Ratio;
}

/** ms */
const DAY_MS = 86_400_000;

const standard: MarketLimits = {
  marketEntries: true,
  maxDriftBps: fixedFromText('50'),
  maxPriceJump: fixedFromText('0.05'),
  maxMarkGap: fixedFromText('0.02'),
  maxFillSlippageBps: fixedFromText('100'),
  fundingBps: { warn: fixedFromText('5'), refuse: fixedFromText('30') },
  maxHedgeRateAgeMs: 7 * DAY_MS,
  maxVolatility: fixedFromText('8'),
};

export const MARKET_LIMITS: Readonly<Record<PresetName, MarketLimits>> = {
  cautious: {
    ...standard,
    marketEntries: false,
    maxDriftBps: fixedFromText('25'),
    maxFillSlippageBps: fixedFromText('50'),
    fundingBps: { warn: fixedFromText('3'), refuse: fixedFromText('10') },
    maxHedgeRateAgeMs: DAY_MS,
    maxVolatility: fixedFromText('6'),
  },
  standard,
  research: standard,
  none: standard,
};

export const marketKeys = {
  market_orders: z.enum(['allow', 'reduce_only']).optional(),
  max_price_drift_bps: bps.optional(),
  price_jump_pct: group('{ tick: 5, mark_gap: 2 }', {
    tick: percent('0.1', '100').optional(),
    mark_gap: percent('0.1', '100').optional(),
  }).optional(),
  fill_slippage_bps: bps.optional(),
  funding_guard: group('{ warn_bps: 5, refuse_bps: 30 }', {
    warn_bps: bps.optional(),
    refuse_bps: bps.optional(),
  }).optional(),
  inr_fx_max_age_ms: positiveMs.optional(),
  volatility_halt: positive<'ratio'>().optional(),
};

type Keys = z.infer<z.ZodObject<typeof marketKeys>>;

export const marketLimits = (keys: Keys, base: MarketLimits): MarketLimits => ({
  marketEntries:
    keys.market_orders === undefined ? base.marketEntries : keys.market_orders === 'allow',
  maxDriftBps: keys.max_price_drift_bps ?? base.maxDriftBps,
  maxPriceJump: keys.price_jump_pct?.tick ?? base.maxPriceJump,
  maxMarkGap: keys.price_jump_pct?.mark_gap ?? base.maxMarkGap,
  maxFillSlippageBps: keys.fill_slippage_bps ?? base.maxFillSlippageBps,
  fundingBps: {
    warn: keys.funding_guard?.warn_bps ?? base.fundingBps.warn,
    refuse: keys.funding_guard?.refuse_bps ?? base.fundingBps.refuse,
  },
  maxHedgeRateAgeMs: keys.inr_fx_max_age_ms ?? base.maxHedgeRateAgeMs,
  maxVolatility: keys.volatility_halt ?? base.maxVolatility,
});
