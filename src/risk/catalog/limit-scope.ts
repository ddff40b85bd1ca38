/** Subject of a limit: a single order, a symbol, a strategy, or the account. */
export type LimitScope = 'order' | 'symbol' | 'strategy' | 'account';

/** Scope of a limit, and the time within which its value counts. */
export interface LimitReach {
  readonly scope: LimitScope;
  /** ms on the control's clock; absent: the value is that of the moment. */
  readonly windowMs?: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The venue day, from midnight UTC. */
export const DAY_WINDOW_MS = 24 * 60 * MINUTE;

const REACH: Readonly<Record<string, LimitReach>> = {
  max_order_notional_usdt: { scope: 'order' },
  max_order_notional_pct_equity: { scope: 'order' },
  max_order_qty: { scope: 'order' },
  'price_collar_bps.entry_aggressive': { scope: 'order' },
  'price_collar_bps.entry_passive': { scope: 'order' },
  'price_collar_bps.exit': { scope: 'order' },
  market_orders: { scope: 'account' },
  'max_ref_price_age_ms.entry': { scope: 'symbol' },
  'max_ref_price_age_ms.exit': { scope: 'symbol' },
  'max_state_age_ms.entry': { scope: 'account' },
  'max_state_age_ms.exit': { scope: 'account' },
  duplicate_window_ms: { scope: 'strategy', windowMs: MINUTE },
  max_entries_per_minute: { scope: 'account', windowMs: MINUTE },
  'max_open_orders.symbol': { scope: 'symbol' },
  'max_open_orders.account': { scope: 'account' },
  'max_position_notional.usdt': { scope: 'symbol' },
  'max_position_notional.pct_equity': { scope: 'symbol' },
  max_gross_exposure_pct: { scope: 'account' },
  max_net_exposure_pct: { scope: 'account' },
  max_margin_utilisation_pct: { scope: 'account' },
  max_leverage: { scope: 'symbol' },
  min_liq_distance_pct: { scope: 'symbol' },
  require_stop_loss: { scope: 'account' },
  max_loss_per_trade_pct: { scope: 'order' },
  max_naked_ms: { scope: 'symbol' },
  'daily_loss_limit_pct.soft': { scope: 'account', windowMs: DAY_WINDOW_MS },
  'daily_loss_limit_pct.hard': { scope: 'account', windowMs: DAY_WINDOW_MS },
  'daily_loss_limit_pct.hold_ms': { scope: 'account' },
  rearm: { scope: 'account' },
  max_drawdown_pct: { scope: 'account' },
  foreign_hand: { scope: 'symbol' },
  'unknown_intents.symbol': { scope: 'symbol' },
  'unknown_intents.account': { scope: 'account' },
  'reject_breaker.symbol': { scope: 'symbol', windowMs: MINUTE },
  'reject_breaker.account': { scope: 'account', windowMs: 5 * MINUTE },
  error_breaker: { scope: 'account', windowMs: MINUTE },
  'loss_streak.losses': { scope: 'account' },
  'loss_streak.pause_ms': { scope: 'account' },
  max_entry_age_ms: { scope: 'strategy' },
  max_price_drift_bps: { scope: 'order' },
  symbols_allow: { scope: 'account' },
  currencies_allow: { scope: 'account' },
  dead_man_ms: { scope: 'account' },
  max_order_lifetime_ms: { scope: 'account' },
  crash_loop: { scope: 'account', windowMs: 10 * MINUTE },
  'max_clock_skew_ms.warn': { scope: 'account' },
  'max_clock_skew_ms.block': { scope: 'account' },
  'price_jump_pct.tick': { scope: 'symbol', windowMs: SECOND },
  'price_jump_pct.mark_gap': { scope: 'symbol' },
  fill_slippage_bps: { scope: 'strategy', windowMs: 10 * MINUTE },
  daily_turnover_x_equity: { scope: 'account', windowMs: DAY_WINDOW_MS },
  max_orders_per_day: { scope: 'account', windowMs: DAY_WINDOW_MS },
  'funding_guard.warn_bps': { scope: 'symbol', windowMs: MINUTE },
  'funding_guard.refuse_bps': { scope: 'symbol', windowMs: MINUTE },
  inr_fx_max_age_ms: { scope: 'account' },
  strategy_budget_pct: { scope: 'strategy' },
  volatility_halt: { scope: 'symbol', windowMs: MINUTE },
};

/** Keys that have a reach. A test holds them to the catalogue. */
export const REACHED_KEYS: readonly string[] = Object.keys(REACH);

/** The reach of a key below `risk:`; of any other name the account's. */
export const limitReach = (key: string): LimitReach => REACH[key] ?? { scope: 'account' };

/** `60 s`, `10 min`, `venue day`; empty for the moment. */
export function windowText(windowMs: number | undefined): string {
  if (windowMs === undefined) return '';
  if (windowMs === DAY_WINDOW_MS) return 'venue day';
  return windowMs <= MINUTE ? `${windowMs / SECOND} s` : `${windowMs / MINUTE} min`;
}
