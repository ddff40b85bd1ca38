import { textFromFixed } from '../../core/fixed/fixed.js';
import type { ControlId } from '../control-id.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import { percentText, type LimitEntry, type LimitUnit } from './limit-entry.js';

const most = (
  key: string,
  control: ControlId,
  unit: LimitUnit,
  read: (limits: RiskLimits) => string,
): LimitEntry => ({ key, control, unit, tighter: 'lower', read });

/** Limits by the state of the market, and of positions and orders without supervision. */
export const MARKET_LIMIT_ENTRIES: readonly LimitEntry[] = [
  {
    key: 'market_orders',
    control: 'R04',
    unit: '',
    tighter: ['reduce_only', 'allow'],
    read: ({ market }) => (market.marketEntries ? 'allow' : 'reduce_only'),
  },
  most('max_price_drift_bps', 'R27', 'bps', ({ market }) => textFromFixed(market.maxDriftBps)),
  most('price_jump_pct.tick', 'R38', '% of price', ({ market }) =>
    percentText(market.maxPriceJump),
  ),
  most('price_jump_pct.mark_gap', 'R38', '% of price', ({ market }) =>
    percentText(market.maxMarkGap),
  ),
  most('fill_slippage_bps', 'R39', 'bps', ({ market }) => textFromFixed(market.maxFillSlippageBps)),
  most('funding_guard.warn_bps', 'R41', 'bps', ({ market }) =>
    textFromFixed(market.fundingBps.warn),
  ),
  most('funding_guard.refuse_bps', 'R41', 'bps', ({ market }) =>
    textFromFixed(market.fundingBps.refuse),
  ),
  most('inr_fx_max_age_ms', 'R42', 'ms', ({ market }) => String(market.maxHedgeRateAgeMs)),
  most('volatility_halt', 'R43', 'x', ({ market }) => textFromFixed(market.maxVolatility)),
  most('max_naked_ms', 'R18', 'ms', ({ protection }) => String(protection.maxNakedMs)),
  {
    key: 'foreign_hand',
    control: 'R22',
    unit: '',
    tighter: ['hold', 'warn'],
    read: ({ protection }) => protection.externalHand,
  },
  most('dead_man_ms', 'R31', 'ms', ({ protection }) => String(protection.deadManMs)),
  most('max_order_lifetime_ms', 'R33', 'ms', ({ protection }) =>
    String(protection.maxOrderLifetimeMs),
  ),
];
