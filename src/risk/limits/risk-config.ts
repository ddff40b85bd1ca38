import { z } from 'zod';
import type { Currency } from '../../core/currency.js';
import { breakerKeys, breakerLimits } from './breaker-limits.js';
import { exposureKeys, exposureLimits } from './exposure-limits.js';
import {
  alwaysOn,
  bps,
  positiveCount,
  group,
  positiveMs,
  percent,
  positive,
  symbol,
  windowMs,
} from './limit-values.js';
import { lossKeys, lossLimits } from './loss-limits.js';
import { marketKeys, marketLimits } from './market-limits.js';
import { protectionKeys, protectionLimits } from './protection-limits.js';
import { budgetKeys, strategyBudgets } from './strategy-budgets.js';
import { PRESET_LIMITS, type RiskLimits } from './risk-limits.js';
import { PRESETS, type PresetName } from '../preset.js';

/** Use of the block: it decides which presets and wildcards are allowed. */
export type RiskUse = 'live' | 'paper' | 'sandbox' | 'backtest';

export interface RiskSettings {
  readonly preset: PresetName;
  readonly limits: RiskLimits;
}

const entryExit = group('{ entry: 3000, exit: 15000 }', {
  entry: positiveMs.optional(),
  exit: positiveMs.optional(),
});
const block = z.strictObject({
  preset: z.enum(PRESETS).default('standard'),
  max_order_notional_usdt: positive<'USDT'>().optional(),
  max_order_notional_pct_equity: percent('1').optional(),
  max_order_qty: z.record(symbol, positive<'quantity'>()).optional(),
  price_collar_bps: group('{ entry_aggressive: 50, entry_passive: 1000, exit: 300 }', {
    entry_aggressive: bps.optional(),
    entry_passive: bps.optional(),
    exit: bps.optional(),
  }).optional(),
  max_ref_price_age_ms: entryExit.optional(),
  max_state_age_ms: entryExit.optional(),
  instrument_rules: alwaysOn('instrument_rules').optional(),
  duplicate_window_ms: windowMs.optional(),
  max_entry_age_ms: positiveMs.optional(),
  max_open_orders: group('{ symbol: 12, account: 40 }', {
    symbol: positiveCount.optional(),
    account: positiveCount.optional(),
  }).optional(),
  max_position_notional: group("{ usdt: '1000', pct_equity: 50 }", {
    usdt: positive<'USDT'>().optional(),
    pct_equity: percent('1').optional(),
  }).optional(),
  max_leverage: positive<'ratio'>().optional(),
  symbols_allow: z.union([z.literal('*'), z.array(symbol).min(1)]).optional(),
  currencies_allow: z
    .array(z.enum(['USDT', 'INR']))
    .min(1)
    .optional(),
  kill_switch: alwaysOn('kill_switch').optional(),
  ...exposureKeys,
  ...lossKeys,
  ...breakerKeys,
  ...marketKeys,
  ...protectionKeys,
  ...budgetKeys,
});

type Block = z.infer<typeof block>;

const changeBlock = block.omit({ preset: true });

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
    .transform((value) => ({
      preset: value.preset,
      limits: limitsOf(inUse(use, value), PRESET_LIMITS[value.preset]),
    }));

/** R17: live trading refuses an entry without a stop, unless the configuration has its own word. */
const inUse = (use: RiskUse, value: Block): Block =>
  use === 'live' ? { ...value, require_stop_loss: value.require_stop_loss ?? 'require' } : value;

/**
 * Reads limits that change at run time; a key that `change` omits keeps its value. A preset cannot change.
 * @throws z.ZodError
 */
export const changedLimits = (base: RiskLimits, change: unknown): RiskLimits =>
  limitsOf(changeBlock.parse(change), base);

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
    faults.push({ key: 'preset', message: 'live trading needs preset standard or cautious' });
  }
  if (value.symbols_allow === undefined || value.symbols_allow === '*') {
    faults.push({ key: 'symbols_allow', message: 'live trading names every symbol, without *' });
  }
  return faults;
}

function limitsOf(value: Omit<Block, 'preset'>, base: RiskLimits): RiskLimits {
  const collar = value.price_collar_bps;
  const allowed = value.symbols_allow ?? base.symbolsAllow;
  return {
    maxOrderNotional: value.max_order_notional_usdt ?? base.maxOrderNotional,
    maxOrderNotionalShare: value.max_order_notional_pct_equity ?? base.maxOrderNotionalShare,
    maxOrderQuantity: new Map([
      ...base.maxOrderQuantity,
      ...Object.entries(value.max_order_qty ?? {}),
    ]),
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
    exposure: exposureLimits(value, base.exposure),
    loss: lossLimits(value, base.loss),
    breakers: breakerLimits(value, base.breakers),
    market: marketLimits(value, base.market),
    protection: protectionLimits(value, base.protection),
    budgets: strategyBudgets(value, base.budgets),
  };
}

const merged = (
  base: { readonly entry: number; readonly exit: number },
  over: { readonly entry?: number | undefined; readonly exit?: number | undefined } | undefined,
) => ({ entry: over?.entry ?? base.entry, exit: over?.exit ?? base.exit });
