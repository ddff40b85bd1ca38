import { Decimal } from '../../core/fixed/decimal.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import { limitText, LIMIT_ENTRIES } from './limit-catalog.js';
import type { LimitEntry } from './limit-entry.js';

/** Two limits of which the first must stay at or below the second. */
interface LimitOrder {
  readonly lower: string;
  readonly upper: string;
  /** Equal values contradict each other too. */
  readonly strict?: true;
  /** Consequence if they do not. */
  readonly why: string;
}

const ORDERS: readonly LimitOrder[] = [
  {
    lower: 'max_order_notional_usdt',
    upper: 'max_position_notional.usdt',
    why: 'such an order would never be allowed',
  },
  {
    lower: 'max_order_notional_pct_equity',
    upper: 'max_position_notional.pct_equity',
    why: 'such an order would never be allowed',
  },
  {
    lower: 'max_position_notional.pct_equity',
    upper: 'max_gross_exposure_pct',
    why: 'such a position would never be allowed',
  },
  {
    lower: 'max_net_exposure_pct',
    upper: 'max_gross_exposure_pct',
    why: 'the net exposure is at most the gross exposure',
  },
  {
    lower: 'max_loss_per_trade_pct',
    upper: 'daily_loss_limit_pct.hard',
    why: 'one stop would end the day',
  },
  {
    lower: 'daily_loss_limit_pct.soft',
    upper: 'daily_loss_limit_pct.hard',
    strict: true,
    why: 'entries would not stop before every position is closed',
  },
  {
    lower: 'daily_loss_limit_pct.hard',
    upper: 'max_drawdown_pct',
    why: 'the drawdown would act before the loss of the day',
  },
  {
    lower: 'max_open_orders.symbol',
    upper: 'max_open_orders.account',
    why: 'the account would stop the symbol first',
  },
  {
    lower: 'unknown_intents.symbol',
    upper: 'unknown_intents.account',
    why: 'the account would stop the symbol first',
  },
  {
    lower: 'reject_breaker.symbol',
    upper: 'reject_breaker.account',
    why: 'the account would stop the symbol first',
  },
  {
    lower: 'max_clock_skew_ms.warn',
    upper: 'max_clock_skew_ms.block',
    strict: true,
    why: 'entries would stop without a warning',
  },
  {
    lower: 'funding_guard.warn_bps',
    upper: 'funding_guard.refuse_bps',
    strict: true,
    why: 'entries would be refused without a warning',
  },
];

/** Two limits that cannot both take effect. */
export interface Contradiction {
  readonly lower: string;
  readonly upper: string;
  /** Values with their units. */
  readonly lowerText: string;
  readonly upperText: string;
  readonly relation: 'is above' | 'is not below';
  readonly why: string;
}

/** Pairs of limits of which one makes the other pointless. */
export const contradictionsIn = (limits: RiskLimits): readonly Contradiction[] =>
  ORDERS.flatMap(({ lower, upper, strict = false, why }) => {
    const [a, b] = [entryOf(lower), entryOf(upper)];
    const [low, high] = [a?.read(limits), b?.read(limits)];
    if (a === undefined || b === undefined || low === undefined || high === undefined) return [];
    const apart = new Decimal(low).cmp(high);
    if (apart < 0 || (apart === 0 && !strict)) return [];
    const relation = strict ? ('is not below' as const) : ('is above' as const);
    const texts = { lowerText: limitText(low, a.unit), upperText: limitText(high, b.unit) };
    return [{ lower, upper, ...texts, relation, why }];
  });

const entryOf = (key: string): LimitEntry | undefined =>
  LIMIT_ENTRIES.find((entry) => entry.key === key);
