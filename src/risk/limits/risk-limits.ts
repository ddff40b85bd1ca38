import type { Currency } from '../../core/currency.js';
import { fixedFromText, type Quantity, type Ratio, type Usdt } from '../../core/fixed/fixed.js';
import type { PresetName } from '../preset.js';
import { BREAKER_LIMITS, type BreakerLimits } from './breaker-limits.js';
import { EXPOSURE_LIMITS, type ExposureLimits } from './exposure-limits.js';
import { LOSS_LIMITS, type LossLimits } from './loss-limits.js';
import { MARKET_LIMITS, type MarketLimits } from './market-limits.js';
import { PROTECTION_LIMITS, type ProtectionLimits } from './protection-limits.js';
import { NO_BUDGETS, type StrategyBudgets } from './strategy-budgets.js';

/** One limit for orders that open or add, one for those that only reduce. */
export interface EntryExit {
  readonly entry: number;
  readonly exit: number;
}

/** Basis points of the reference price. */
export interface CollarBps {
  /** Beyond the reference, in the direction of the trade: the bound of overpaying. */
  readonly entryAggressive: Ratio;
  readonly exitAggressive: Ratio;
  /** Away from the market, for resting orders. */
  readonly passive: Ratio;
}

/**
 * The gate's limits, described in docs/risk.md. Amounts are USDT in both currencies; shares are fractions
 * (25 % is 0.25) of the equity in the order's currency. Of an amount and a share for the same value, the
 * smaller applies.
 */
export interface RiskLimits {
  /** R01 */
  readonly maxOrderNotional: Usdt;
  readonly maxOrderNotionalShare: Ratio;
  /** R02, base units by symbol; for any other symbol, only the instrument's bounds and R01 apply. */
  readonly maxOrderQuantity: ReadonlyMap<string, Quantity>;
  /** R03 */
  readonly priceCollarBps: CollarBps;
  /** R05, monotonic ms. */
  readonly maxReferencePriceAgeMs: EntryExit;
  /** R06, monotonic ms. */
  readonly maxStateAgeMs: EntryExit;
  /** R08, venue ms. */
  readonly duplicateWindowMs: number;
  /** R27, monotonic ms from an entry's decision to its request; undefined: by the interval. */
  readonly maxEntryAgeMs: number | undefined;
  /** R10 */
  readonly maxOpenOrders: { readonly symbol: number; readonly account: number };
  /** R12 */
  readonly maxPositionNotional: Usdt;
  readonly maxPositionNotionalShare: Ratio;
  /** R15 */
  readonly maxLeverage: Ratio;
  /** R28; `*` is refused in live trading. */
  readonly symbolsAllow: ReadonlySet<string> | '*';
  readonly currenciesAllow: ReadonlySet<Currency>;
  readonly exposure: ExposureLimits;
  readonly loss: LossLimits;
  readonly breakers: BreakerLimits;
  readonly market: MarketLimits;
  readonly protection: ProtectionLimits;
  /** R34 */
  readonly budgets: StrategyBudgets;
}

/** Limits of single orders and positions, for a small account. */
const STANDARD: Omit<
  RiskLimits,
  'exposure' | 'loss' | 'breakers' | 'market' | 'protection' | 'budgets'
> = {
  maxOrderNotional: fixedFromText('500'),
  maxOrderNotionalShare: fixedFromText('0.25'),
  maxOrderQuantity: new Map(),
  priceCollarBps: {
    entryAggressive: fixedFromText('50'),
    exitAggressive: fixedFromText('300'),
    passive: fixedFromText('1000'),
  },
  maxReferencePriceAgeMs: { entry: 3_000, exit: 15_000 },
  maxStateAgeMs: { entry: 5_000, exit: 30_000 },
  duplicateWindowMs: 5_000,
  maxEntryAgeMs: undefined,
  maxOpenOrders: { symbol: 12, account: 40 },
  maxPositionNotional: fixedFromText('1000'),
  maxPositionNotionalShare: fixedFromText('0.5'),
  maxLeverage: fixedFromText('3'),
  symbolsAllow: '*',
  currenciesAllow: new Set<Currency>(['USDT']),
};

const CAUTIOUS: typeof STANDARD = {
  ...STANDARD,
  maxOrderNotional: fixedFromText('250'),
  maxOrderNotionalShare: fixedFromText('0.1'),
  priceCollarBps: {
    entryAggressive: fixedFromText('20'),
    exitAggressive: fixedFromText('300'),
    passive: fixedFromText('500'),
  },
  maxOpenOrders: { symbol: 4, account: 20 },
  maxPositionNotional: fixedFromText('500'),
  maxPositionNotionalShare: fixedFromText('0.25'),
  maxLeverage: fixedFromText('2'),
};

const limitsOfPreset = (preset: PresetName): RiskLimits => ({
  ...(preset === 'cautious' ? CAUTIOUS : STANDARD),
  exposure: EXPOSURE_LIMITS[preset],
  loss: LOSS_LIMITS[preset],
  breakers: BREAKER_LIMITS[preset],
  market: MARKET_LIMITS[preset],
  protection: PROTECTION_LIMITS[preset],
  budgets: NO_BUDGETS,
});

/** The limits of each preset before any key of the `risk:` block. */
export const PRESET_LIMITS: Readonly<Record<PresetName, RiskLimits>> = {
  cautious: limitsOfPreset('cautious'),
  standard: limitsOfPreset('standard'),
  research: limitsOfPreset('research'),
  none: limitsOfPreset('none'),
};

export const DEFAULT_LIMITS = PRESET_LIMITS.standard;
