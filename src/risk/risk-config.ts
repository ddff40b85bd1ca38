import { z } from 'zod';
import type { Currency } from '../core/currency.js';
import { Decimal, isPlainDecimal } from '../core/fixed/decimal.js';
import { FIXED_PLACES, fixedFromText, type Fixed } from '../core/fixed/fixed.js';
import { symbolFromText } from '../core/symbol.js';
import { DEFAULT_LIMITS, type RiskLimits } from './limits.js';
import type { PresetName } from './preset.js';

/** Use of the block: it decides which presets and wildcards are allowed. */
export type RiskUse = 'live' | 'paper' | 'sandbox' | 'backtest';

export interface RiskSettings {
  readonly preset: PresetName;
  readonly limits: RiskLimits;
}

/** Plausible maxima: a larger value has the wrong unit (hazard M9). */
const MOST_PERCENT = '10000';
const MOST_BPS = '10000';
const MOST_MS = 24 * 3_600_000;
const MOST_ORDERS = 10_000;

/** Quoted decimals, or YAML numbers by their shortest text. */
const decimalText = z
  .union([z.string(), z.number()])
  .transform((value) => (typeof value === 'number' ? value.toString() : value))
  .refine(isPlainDecimal, { error: 'expected a plain decimal such as 12.5', abort: true });

const amount = <Unit extends string>() =>
  decimalText.transform((text, context) => fixedOr<Unit>(text, context));

/** A percentage; parsed to a fraction. */
const percent = decimalText
  .refine((text) => isWithin(text, MOST_PERCENT), {
    error: `expected a percentage above 0, at most ${MOST_PERCENT}`,
    abort: true,
  })
  .transform((text, context) => fixedOr<'ratio'>(new Decimal(text).div(100).toFixed(), context));

const bps = decimalText
  .refine((text) => isWithin(text, MOST_BPS), {
    error: `expected basis points above 0, at most ${MOST_BPS}`,
    abort: true,
  })
  .transform((text, context) => fixedOr<'ratio'>(text, context));

const positive = <Unit extends string>() =>
  amount<Unit>().refine((value) => value > 0, { error: 'expected a number above 0' });
const milliseconds = z.number().int().min(1).max(MOST_MS);
/** 0 disables the window. */
const windowMs = z.number().int().min(0).max(MOST_MS);
const orderCount = z.number().int().min(1).max(MOST_ORDERS);
const entryExit = z.strictObject({
  entry: milliseconds.optional(),
  exit: milliseconds.optional(),
});
const symbol = z
  .string()
  .refine((text) => symbolFromText(text) !== undefined, 'expected a trading symbol such as BTCUSDT')
  .transform((text) => symbolFromText(text) ?? text);

const block = z.strictObject({
  preset: z.enum(['standard', 'research', 'none']).default('standard'),
  max_order_notional_usdt: positive<'USDT'>().optional(),
  max_order_notional_pct_equity: percent.optional(),
  max_order_qty: z.record(symbol, positive<'quantity'>()).optional(),
  price_collar_bps: z
    .strictObject({
      entry_aggressive: bps.optional(),
      entry_passive: bps.optional(),
      exit: bps.optional(),
    })
    .optional(),
  max_ref_price_age_ms: entryExit.optional(),
  max_state_age_ms: entryExit.optional(),
  instrument_rules: z.literal(true, { error: 'instrument_rules cannot be disabled' }).optional(),
  duplicate_window_ms: windowMs.optional(),
  max_entry_age_ms: milliseconds.optional(),
  max_open_orders: z
    .strictObject({ symbol: orderCount.optional(), account: orderCount.optional() })
    .optional(),
  max_position_notional: z
    .strictObject({ usdt: positive<'USDT'>().optional(), pct_equity: percent.optional() })
    .optional(),
  max_leverage: positive<'ratio'>().optional(),
  symbols_allow: z.union([z.literal('*'), z.array(symbol).min(1)]).optional(),
  currencies_allow: z
    .array(z.enum(['USDT', 'INR']))
    .min(1)
    .optional(),
  kill_switch: z.literal(true, { error: 'kill_switch cannot be disabled' }).optional(),
});

type Block = z.infer<typeof block>;

/**
 * The `risk:` block: a preset, and limits by the keys in docs/risk.md. An absent key has its default; an
 * unknown key is an error. `none` is for backtests; live trading requires `standard` and every symbol by
 * name.
 */
export const riskSchema = (use: RiskUse): z.ZodType<RiskSettings, unknown> =>
  block
    .superRefine((value, context) => {
      for (const fault of faultsFor(use, value)) {
        context.addIssue({ code: 'custom', path: [fault.key], message: fault.message });
      }
    })
    .transform((value) => ({ preset: value.preset, limits: limitsOf(value) }));

interface Fault {
  readonly key: string;
  readonly message: string;
}

function faultsFor(use: RiskUse, value: Block): readonly Fault[] {
  const faults: Fault[] = [];
  if (value.preset === 'none' && use !== 'backtest') {
    faults.push({ key: 'preset', message: 'preset none exists in backtests only' });
  }
  if (use !== 'live') return faults;
  if (value.preset === 'research') {
    faults.push({ key: 'preset', message: 'live trading needs preset standard' });
  }
  if (value.symbols_allow === undefined || value.symbols_allow === '*') {
    faults.push({ key: 'symbols_allow', message: 'live trading names every symbol, without *' });
  }
  return faults;
}

function limitsOf(value: Block): RiskLimits {
  const base = DEFAULT_LIMITS;
  const collar = value.price_collar_bps;
  const allowed = value.symbols_allow ?? base.symbolsAllow;
  return {
    maxOrderNotional: value.max_order_notional_usdt ?? base.maxOrderNotional,
    maxOrderNotionalShare: value.max_order_notional_pct_equity ?? base.maxOrderNotionalShare,
    maxOrderQuantity: new Map(Object.entries(value.max_order_qty ?? {})),
    priceCollarBps: {
      entryAggressive: collar?.entry_aggressive ?? base.priceCollarBps.entryAggressive,
      exitAggressive: collar?.exit ?? base.priceCollarBps.exitAggressive,
      passive: collar?.entry_passive ?? base.priceCollarBps.passive,
    },
    maxReferencePriceAgeMs: merged(base.maxReferencePriceAgeMs, value.max_ref_price_age_ms),
    maxStateAgeMs: merged(base.maxStateAgeMs, value.max_state_age_ms),
    duplicateWindowMs: value.duplicate_window_ms ?? base.duplicateWindowMs,
    maxEntryAgeMs: value.max_entry_age_ms ?? base.maxEntryAgeMs,
    maxOpenOrders: {
      symbol: value.max_open_orders?.symbol ?? base.maxOpenOrders.symbol,
      account: value.max_open_orders?.account ?? base.maxOpenOrders.account,
    },
    maxPositionNotional: value.max_position_notional?.usdt ?? base.maxPositionNotional,
    maxPositionNotionalShare:
      value.max_position_notional?.pct_equity ?? base.maxPositionNotionalShare,
    maxLeverage: value.max_leverage ?? base.maxLeverage,
    symbolsAllow: allowed === '*' ? '*' : new Set(allowed),
    currenciesAllow: new Set<Currency>(value.currencies_allow ?? base.currenciesAllow),
  };
}

const merged = (
  base: { readonly entry: number; readonly exit: number },
  over: { readonly entry?: number | undefined; readonly exit?: number | undefined } | undefined,
) => ({ entry: over?.entry ?? base.entry, exit: over?.exit ?? base.exit });

const isWithin = (text: string, most: string): boolean => {
  const value = new Decimal(text);
  return value.gt(0) && value.lte(most);
};

function fixedOr<Unit extends string>(text: string, context: z.RefinementCtx): Fixed<Unit> {
  try {
    return fixedFromText<Unit>(text, FIXED_PLACES);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
}
