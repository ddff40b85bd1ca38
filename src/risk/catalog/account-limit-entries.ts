import { ONE, textFromFixed } from '../../core/fixed/fixed.js';
import { percentText, type LimitEntry, type LimitUnit } from './limit-entry.js';
import type { BreakerLimits } from '../limits/breaker-limits.js';
import type { ExposureLimits } from '../limits/exposure-limits.js';
import type { LossLimits } from '../limits/loss-limits.js';
import type { ControlId } from '../control-id.js';

const exposure = (
  key: string,
  control: ControlId,
  read: (limits: ExposureLimits) => string,
): LimitEntry => ({
  key,
  control,
  unit: '% of equity',
  tighter: 'lower',
  read: (limits) => read(limits.exposure),
});

const EXPOSURE: readonly LimitEntry[] = [
  exposure('max_gross_exposure_pct', 'R13', (limits) => percentText(limits.maxGrossShare)),
  exposure('max_net_exposure_pct', 'R13', (limits) => percentText(limits.maxNetShare)),
  exposure('max_margin_utilisation_pct', 'R14', (limits) => percentText(limits.maxMarginShare)),
  {
    key: 'min_liq_distance_pct',
    control: 'R16',
    unit: '% of price',
    tighter: 'higher',
    read: (limits) => percentText(limits.exposure.minLiquidationDistance),
  },
];

const BUDGETS: LimitEntry = {
  key: 'strategy_budget_pct',
  control: 'R34',
  unit: '% of gross exposure',
  tighter: 'per-symbol',
  // One strategy with everything has no budget beside R13.
  read: ({ budgets }) => {
    const isWhole = [...budgets.values()].every(({ share }) => share === ONE);
    const texts = [...budgets].map(([id, { share }]) => `${id} ${percentText(share)}`);
    return isWhole ? undefined : texts.sort().join(', ');
  },
};

const loss = (
  key: string,
  control: ControlId,
  unit: LimitUnit,
  read: (limits: LossLimits) => string | undefined,
): LimitEntry => ({ key, control, unit, tighter: 'lower', read: (limits) => read(limits.loss) });

const LOSS: readonly LimitEntry[] = [
  {
    key: 'require_stop_loss',
    control: 'R17',
    unit: '',
    tighter: ['require', 'warn', 'off'],
    read: (limits) => limits.loss.stopLoss,
  },
  loss('max_loss_per_trade_pct', 'R17', '% of equity', (limits) =>
    percentText(limits.maxTradeShare),
  ),
  loss('daily_loss_limit_pct.soft', 'R19', '% of equity', (limits) =>
    percentText(limits.maxDayShare.soft),
  ),
  loss('daily_loss_limit_pct.hard', 'R19', '% of equity', (limits) =>
    percentText(limits.maxDayShare.hard),
  ),
  loss('daily_loss_limit_pct.hold_ms', 'R19', 'ms', (limits) => String(limits.hardHoldMs)),
  loss('max_drawdown_pct', 'R21', '% of equity', (limits) => percentText(limits.maxDrawdownShare)),
  loss('loss_streak.losses', 'R26', 'events', (limits) => limits.streak?.losses.toString()),
  {
    key: 'loss_streak.pause_ms',
    control: 'R26',
    unit: 'ms',
    tighter: 'higher',
    read: (limits) => limits.loss.streak?.pauseMs.toString(),
  },
  loss('daily_turnover_x_equity', 'R40', 'x equity', (limits) =>
    textFromFixed(limits.maxDayTurnover),
  ),
  loss('max_orders_per_day', 'R40', 'orders', (limits) => String(limits.maxDayOrders)),
  {
    key: 'rearm',
    control: 'R19',
    unit: '',
    tighter: ['never', 'next_day'],
    read: (limits) => limits.loss.rearm,
  },
];

const breaker = (
  key: string,
  control: ControlId,
  unit: LimitUnit,
  read: (limits: BreakerLimits) => number,
): LimitEntry => ({
  key,
  control,
  unit,
  tighter: 'lower',
  read: (limits) => String(read(limits.breakers)),
});

const BREAKERS: readonly LimitEntry[] = [
  breaker('max_entries_per_minute', 'R09', 'orders', (limits) => limits.maxEntriesPerMinute),
  breaker('unknown_intents.symbol', 'R23', 'orders', (limits) => limits.maxUnknownOrders.symbol),
  breaker('unknown_intents.account', 'R23', 'orders', (limits) => limits.maxUnknownOrders.account),
  breaker('reject_breaker.symbol', 'R24', 'events', (limits) => limits.maxRejections.symbol),
  breaker('reject_breaker.account', 'R24', 'events', (limits) => limits.maxRejections.account),
  breaker('error_breaker', 'R25', 'events', (limits) => limits.maxErrors),
  breaker('crash_loop', 'R36', 'events', (limits) => limits.maxFailedStarts),
  breaker('max_clock_skew_ms.warn', 'R37', 'ms', (limits) => limits.clockSkewMs.warn),
  breaker('max_clock_skew_ms.block', 'R37', 'ms', (limits) => limits.clockSkewMs.block),
];

/** Limits of the account: exposure, losses, and counts after which entries stop. */
export const ACCOUNT_LIMIT_ENTRIES: readonly LimitEntry[] = [
  ...EXPOSURE,
  ...LOSS,
  ...BREAKERS,
  BUDGETS,
];
