import { numberFromFixed } from '../core/fixed/fixed.js';
import type { RoundTrip } from './round-trips.js';

/** Equity at the close of each candle; only the first `length` rows count. */
export interface EquityCurve {
  /** ms UTC, ascending. */
  readonly times: Float64Array;
  /** Wallet plus unrealised PnL, in the run's currency. */
  readonly equity: Float64Array;
  readonly length: number;
}

export interface StatisticsInput {
  readonly startEquity: number;
  /** ms UTC: open time of the first candle. */
  readonly startTime: number;
  readonly curve: EquityCurve;
  readonly trades: readonly Pick<RoundTrip, 'netPnl'>[];
}

/** Percentages are of 100. An undefined figure is null, never NaN or infinity. */
export interface Statistics {
  /** (last equity / start equity − 1) × 100. */
  readonly return_pct: number | null;
  /**
   * Deepest fall from a running peak, as a percentage of that peak, 0 or above. The start equity is
   * the first peak; every row of the curve counts.
   */
  readonly max_drawdown_pct: number | null;
  /** Mean of the daily returns / their sample standard deviation × √365. Risk-free rate 0. */
  readonly sharpe: number | null;
  /** Mean of the daily returns / √(mean of min(return, 0)²) × √365. Target 0, all days counted. */
  readonly sortino: number | null;
  /**
   * Compound annual growth / maximum drawdown. Growth is (last / start)^(365 days / length) − 1,
   * length from `startTime` to the last row.
   */
  readonly calmar: number | null;
  /** Trades with a net PnL above 0, in per cent of all closed trades. */
  readonly win_rate_pct: number | null;
  /** Σ net PnL of winning trades / −Σ of losing trades; null while none has lost. */
  readonly profit_factor: number | null;
}

const DAY_MS = 86_400_000;
const DAYS_PER_YEAR = 365;

/**
 * The statistics of one run. Perpetual futures trade every day, so a year has 365 days. A daily return is
 * the equity at the end of a UTC day / that of the previous day − 1. The first one is measured against the
 * start equity. A day without data returns 0. Incomplete days at both ends count as days.
 */
export function statisticsOf(run: StatisticsInput): Statistics {
  const { startEquity, startTime, curve, trades } = run;
  const last = curve.equity[curve.length - 1];
  const daily = dailyReturns(run);
  const drawdown = startEquity > 0 ? maxDrawdown(startEquity, curve) : NaN;
  const growth = (last ?? NaN) / startEquity;
  const days = ((curve.times[curve.length - 1] ?? NaN) - startTime) / DAY_MS;
  return {
    return_pct: finite((growth - 1) * 100),
    max_drawdown_pct: finite(drawdown * 100),
    sharpe: finite(annualised(mean(daily), deviation(daily))),
    sortino: finite(annualised(mean(daily), downsideDeviation(daily))),
    calmar: finite(growth > 0 ? (growth ** (DAYS_PER_YEAR / days) - 1) / drawdown : NaN),
    ...tradeStatistics(trades),
  };
}

function tradeStatistics(
  trades: StatisticsInput['trades'],
): Pick<Statistics, 'win_rate_pct' | 'profit_factor'> {
  let won = 0;
  let gains = 0;
  let losses = 0;
  for (const { netPnl } of trades) {
    if (netPnl > 0) won++;
    if (netPnl > 0) gains += numberFromFixed(netPnl);
    else losses -= numberFromFixed(netPnl);
  }
  return {
    win_rate_pct: finite((won / trades.length) * 100),
    profit_factor: finite(gains / losses),
  };
}

/** Deepest fall from a running peak, as a fraction of that peak. */
export function maxDrawdown(startEquity: number, { equity, length }: EquityCurve): number {
  let peak = startEquity;
  let deepest = 0;
  for (let index = 0; index < length; index++) {
    const value = equity[index] as number;
    if (value > peak) peak = value;
    const fall = (peak - value) / peak;
    if (fall > deepest) deepest = fall;
  }
  return deepest;
}

/** Empty if equity was 0 or less at the end of a day, because later returns would have no base. */
export function dailyReturns(run: Omit<StatisticsInput, 'trades'>): readonly number[] {
  const { curve, startEquity, startTime } = run;
  const returns: number[] = [];
  let before = startEquity;
  let day = Math.floor(startTime / DAY_MS);
  for (let index = 0; index < curve.length; index++) {
    const next = index + 1 < curve.length ? dayOf(curve.times[index + 1] as number) : Infinity;
    const today = Math.max(day, dayOf(curve.times[index] as number));
    if (next <= today) continue;
    for (; day < today; day++) returns.push(0);
    const equity = curve.equity[index] as number;
    if (before <= 0) return [];
    returns.push(equity / before - 1);
    before = equity;
    day = today + 1;
  }
  return returns;
}

/** A close at midnight belongs to the ending day. */
const dayOf = (timeMs: number): number => Math.ceil(timeMs / DAY_MS) - 1;

const annualised = (average: number, spread: number): number =>
  spread > 0 ? (average / spread) * Math.sqrt(DAYS_PER_YEAR) : NaN;

function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function deviation(values: readonly number[]): number {
  const average = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - average) * (value - average);
  return Math.sqrt(sum / (values.length - 1));
}

function downsideDeviation(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) if (value < 0) sum += value * value;
  return Math.sqrt(sum / values.length);
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
