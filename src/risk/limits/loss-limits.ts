import { z } from 'zod';
import { fixedFromText, type Ratio } from '../../core/fixed/fixed.js';
import type { PresetName } from '../preset.js';
import { positiveCount, group, positiveMs, percent, positive } from './limit-values.js';

/** Limits of losses and turnover. Shares are fractions of the equity at the start of the venue day. */
export interface LossLimits {
  /** R17: an entry without a stop is allowed, warned about or refused. */
  readonly stopLoss: 'off' | 'warn' | 'require';
  /** R17: loss of one entry at its stop, with fees and slippage. */
  readonly maxTradeShare: Ratio;
  /** R19: losses of the venue day; `soft` stops entries, `hard` flattens. */
  readonly maxDayShare: { readonly soft: Ratio; readonly hard: Ratio };
  /** R19: time for which the hard limit must be exceeded, monotonic ms. */
  readonly hardHoldMs: number;
  /** R21: fall of the equity from its highest value. */
  readonly maxDrawdownShare: Ratio;
  /** R26: losing closes in a row that pause entries; undefined: off. */
  readonly streak: { readonly losses: number; readonly pauseMs: number } | undefined;
  /** R40: notional traded in a venue day, as a multiple of the equity, and orders in a day. */
  readonly maxDayTurnover: Ratio;
  readonly maxDayOrders: number;
  /** Backtests: a latched limit ends with the venue day, or never. Elsewhere a person resumes. */
  readonly rearm: 'next_day' | 'never';
}

const standard: LossLimits = {
  stopLoss: 'warn',
  maxTradeShare: fixedFromText('0.01'),
  maxDayShare: { soft: fixedFromText('0.03'), hard: fixedFromText('0.05') },
  hardHoldMs: 10_000,
  maxDrawdownShare: fixedFromText('0.15'),
  streak: undefined,
  maxDayTurnover: fixedFromText('10'),
  maxDayOrders: 500,
  rearm: 'never',
};

export const LOSS_LIMITS: Readonly<Record<PresetName, LossLimits>> = {
  cautious: {
    ...standard,
    stopLoss: 'require',
    maxTradeShare: fixedFromText('0.005'),
    maxDayShare: { soft: fixedFromText('0.02'), hard: fixedFromText('0.03') },
    maxDrawdownShare: fixedFromText('0.1'),
    streak: { losses: 5, pauseMs: 3_600_000 },
    maxDayTurnover: fixedFromText('5'),
    maxDayOrders: 200,
  },
  standard,
  research: standard,
  none: standard,
};

export const lossKeys = {
  require_stop_loss: z.enum(['off', 'warn', 'require']).optional(),
  max_loss_per_trade_pct: percent('0.05', '100').optional(),
  daily_loss_limit_pct: group('{ soft: 3, hard: 5 }', {
    soft: percent('0.2', '100').optional(),
    hard: percent('0.2', '100').optional(),
    hold_ms: positiveMs.optional(),
  }).optional(),
  max_drawdown_pct: percent('1', '100').optional(),
  loss_streak: z
    .union([z.literal('off'), z.strictObject({ losses: positiveCount, pause_ms: positiveMs })])
    .optional(),
  daily_turnover_x_equity: positive<'ratio'>().optional(),
  max_orders_per_day: positiveCount.optional(),
  rearm: z.enum(['next_day', 'never']).optional(),
};

type Keys = z.infer<z.ZodObject<typeof lossKeys>>;

export function lossLimits(keys: Keys, base: LossLimits): LossLimits {
  const { daily_loss_limit_pct: day, loss_streak: streak } = keys;
  return {
    stopLoss: keys.require_stop_loss ?? base.stopLoss,
    maxTradeShare: keys.max_loss_per_trade_pct ?? base.maxTradeShare,
    maxDayShare: {
      soft: day?.soft ?? base.maxDayShare.soft,
      hard: day?.hard ?? base.maxDayShare.hard,
    },
    hardHoldMs: day?.hold_ms ?? base.hardHoldMs,
    maxDrawdownShare: keys.max_drawdown_pct ?? base.maxDrawdownShare,
    streak: streakOf(streak, base.streak),
    maxDayTurnover: keys.daily_turnover_x_equity ?? base.maxDayTurnover,
    maxDayOrders: keys.max_orders_per_day ?? base.maxDayOrders,
    rearm: keys.rearm ?? base.rearm,
  };
}

function streakOf(key: Keys['loss_streak'], base: LossLimits['streak']): LossLimits['streak'] {
  if (key === undefined) return base;
  return key === 'off' ? undefined : { losses: key.losses, pauseMs: key.pause_ms };
}
