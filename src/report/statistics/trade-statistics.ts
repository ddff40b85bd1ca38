import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { RoundTrip } from '../round-trips.js';
import { finite, mean } from './moments.js';

/** A closed round trip, with its extremes where candles are known. */
export interface MeasuredTrade extends RoundTrip {
  /** Deepest loss while it was open, per cent of the entry price, at most 0 (MAE). */
  readonly maePct?: number;
  /** Highest gain while it was open, per cent of the entry price, at least 0 (MFE). */
  readonly mfePct?: number;
}

/** Figures of one kind of trades. Money is in the run's currency. */
export interface TradeGroup {
  readonly trades: number;
  /** Σ net PnL. */
  readonly net: number;
  /** Trades with a net PnL above 0, per cent of all. */
  readonly win_rate_pct: number | null;
  /** Σ net PnL of winning trades / −Σ of losing trades; null while none has lost. */
  readonly profit_factor: number | null;
  /** Mean net PnL per cent of the entry value. */
  readonly avg_trade_pct: number | null;
}

export interface TradeStatistics {
  readonly win_rate_pct: number | null;
  readonly profit_factor: number | null;
  /** Mean net PnL of the winning trades / −mean of the losing ones. */
  readonly payoff_ratio: number | null;
  /** Mean net PnL of a trade, in the run's currency. */
  readonly expectancy: number | null;
  readonly best_trade: number | null;
  readonly worst_trade: number | null;
  /** Mean, highest and lowest net PnL, per cent of the entry value. */
  readonly avg_trade_pct: number | null;
  readonly best_trade_pct: number | null;
  readonly worst_trade_pct: number | null;
  /** Trades in a row with a net PnL above 0, and with one of 0 or below. */
  readonly longest_winning_streak: number;
  readonly longest_losing_streak: number;
  /** Mean time from the first entry to the last exit. */
  readonly avg_trade_hours: number | null;
  readonly longest_trade_hours: number | null;
  /** Means of the extremes while a trade was open, per cent of its entry price; null without candles. */
  readonly avg_mae_pct: number | null;
  readonly avg_mfe_pct: number | null;
  readonly by_side: Readonly<Record<string, TradeGroup>>;
  readonly by_symbol: Readonly<Record<string, TradeGroup>>;
  readonly by_exit_reason: Readonly<Record<string, TradeGroup>>;
}

const HOUR_MS = 3_600_000;

/** A trade in numbers. */
interface TradeFigures {
  readonly trade: MeasuredTrade;
  readonly net: number;
  /** Net PnL per cent of the entry value. */
  readonly pct: number;
  readonly hours: number;
}

/** @param rate currency of the run per USDT */
export function tradeStatistics(trades: readonly MeasuredTrade[], rate: number): TradeStatistics {
  const all = trades.map((trade) => figuresOf(trade, rate));
  const nets = all.map(({ net }) => net);
  const shares = all.map(({ pct }) => pct);
  const hours = all.map((each) => each.hours);
  const { win_rate_pct, profit_factor } = groupOf(all);
  return {
    win_rate_pct,
    profit_factor,
    payoff_ratio: finite(
      mean(nets.filter((net) => net > 0)) / -mean(nets.filter((net) => net < 0)),
    ),
    expectancy: finite(mean(nets)),
    best_trade: highest(nets),
    worst_trade: lowest(nets),
    avg_trade_pct: finite(mean(shares)),
    best_trade_pct: highest(shares),
    worst_trade_pct: lowest(shares),
    longest_winning_streak: longestStreak(nets, (net) => net > 0),
    longest_losing_streak: longestStreak(nets, (net) => net <= 0),
    avg_trade_hours: finite(mean(hours)),
    longest_trade_hours: highest(hours),
    avg_mae_pct: finite(mean(trades.map(({ maePct }) => maePct ?? NaN))),
    avg_mfe_pct: finite(mean(trades.map(({ mfePct }) => mfePct ?? NaN))),
    by_side: groupsBy(all, ({ side }) => side),
    by_symbol: groupsBy(all, ({ symbol }) => symbol),
    by_exit_reason: groupsBy(all, ({ exitReason }) => exitReason),
  };
}

/** The figures of the trades of each group. */
export const tradeGroups = (
  trades: readonly MeasuredTrade[],
  rate: number,
  keyOf: (trade: MeasuredTrade) => string,
): Readonly<Record<string, TradeGroup>> =>
  groupsBy(
    trades.map((trade) => figuresOf(trade, rate)),
    keyOf,
  );

function figuresOf(trade: MeasuredTrade, rate: number): TradeFigures {
  const net = numberFromFixed(trade.netPnl);
  return {
    trade,
    net,
    pct: (net / entryValue(trade, rate)) * 100,
    hours: (trade.exitTime - trade.entryTime) / HOUR_MS,
  };
}

/** Value of all entries, in the run's currency. */
export const entryValue = ({ quantity, entryPrice }: RoundTrip, rate: number): number =>
  numberFromFixed(quantity) * numberFromFixed(entryPrice) * rate;

function groupsBy(
  all: readonly TradeFigures[],
  keyOf: (trade: MeasuredTrade) => string,
): Readonly<Record<string, TradeGroup>> {
  const groups = new Map<string, TradeFigures[]>();
  for (const each of all) {
    const key = keyOf(each.trade);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return Object.fromEntries([...groups].map(([key, group]) => [key, groupOf(group)]));
}

function groupOf(group: readonly TradeFigures[]): TradeGroup {
  let [won, gains, losses] = [0, 0, 0];
  for (const { net } of group) {
    if (net > 0) won += 1;
    if (net > 0) gains += net;
    else losses -= net;
  }
  return {
    trades: group.length,
    net: gains - losses,
    win_rate_pct: finite((won / group.length) * 100),
    profit_factor: finite(gains / losses),
    avg_trade_pct: finite(mean(group.map(({ pct }) => pct))),
  };
}

function longestStreak(values: readonly number[], isOf: (value: number) => boolean): number {
  let longest = 0;
  let streak = 0;
  for (const value of values) {
    streak = isOf(value) ? streak + 1 : 0;
    longest = Math.max(longest, streak);
  }
  return longest;
}

const highest = (values: readonly number[]): number | null =>
  finite(values.reduce((a, b) => Math.max(a, b), -Infinity));
const lowest = (values: readonly number[]): number | null =>
  finite(values.reduce((a, b) => Math.min(a, b), Infinity));
