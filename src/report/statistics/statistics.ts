import { numberFromFixed } from '../../core/fixed/fixed.js';
import { DAY_MS } from '../../core/interval.js';
import { daysOf, drawdownsOf, maxDrawdown } from './drawdowns.js';
import {
  dailyEquity,
  dailyReturns,
  DAYS_PER_YEAR,
  type DailyEquity,
  type EquityHistory,
} from './equity-curve.js';
import { deviation, downsideDeviation, finite, mean } from './moments.js';
import { monthsOf, type MonthReturn } from './months.js';
import { minTrackRecord, probabilisticSharpe, sampleOf } from './sharpe-significance.js';
import {
  entryValue,
  tradeStatistics,
  type MeasuredTrade,
  type TradeStatistics,
} from './trade-statistics.js';

/** Days of a run below which its yearly growth is a number without meaning. */
export const MIN_GROWTH_DAYS = 30;

export interface StatisticsInput extends EquityHistory {
  /** Closed round trips, oldest exit first. */
  readonly trades: readonly MeasuredTrade[];
  /** ms UTC of the entry of each position that is open at the end. */
  readonly openSince?: readonly number[];
  /** Currency of the run per USDT. Default: 1. */
  readonly rate?: number;
}

/** Percentages are of 100. An undefined figure is null, never NaN or infinity. */
export interface Statistics extends TradeStatistics {
  /** (last equity / start equity − 1) × 100. */
  readonly return_pct: number | null;
  /** Compound annual growth: (last / start)^(365 days / length) − 1, length from the start to the last row. */
  readonly cagr_pct: number | null;
  /** Sample standard deviation of the daily returns × √365. */
  readonly volatility_pct: number | null;
  /** Mean of the daily returns / their sample standard deviation × √365. Risk-free rate 0. */
  readonly sharpe: number | null;
  /** Mean of the daily returns / √(mean of min(return, 0)²) × √365. Target 0, all days counted. */
  readonly sortino: number | null;
  /** Compound annual growth / maximum drawdown. */
  readonly calmar: number | null;
  /** Probability that the true Sharpe ratio is above 0, from 0 to 1 (PSR). */
  readonly psr: number | null;
  /** 1 − PSR: probability of a Sharpe ratio this high without any skill. */
  readonly sharpe_p_value: number | null;
  /** Days after which a Sharpe ratio this high is significant at 95 % (MinTRL). */
  readonly min_track_record_days: number | null;
  /**
   * Deepest fall from a running peak, as a percentage of that peak, 0 or above. The start equity is
   * the first peak; every row of the curve counts.
   */
  readonly max_drawdown_pct: number | null;
  /** Mean depth of the drawdowns of the equity at the ends of days. */
  readonly avg_drawdown_pct: number | null;
  /** Longest and mean time from a peak until it is reached again, at the ends of days. */
  readonly max_drawdown_days: number;
  readonly avg_drawdown_days: number | null;
  /** Share of the period that lies within such drawdowns. */
  readonly under_water_pct: number | null;
  /** Share of the period with an open position of any symbol. */
  readonly exposure_pct: number | null;
  /** Entry and exit values of the closed trades / mean equity at the ends of days. */
  readonly turnover: number | null;
  /** Returns by month of the UTC day. */
  readonly months: readonly MonthReturn[];
}

/**
 * The statistics of one run; docs/metrics.md defines each. Perpetual futures trade every day, so a year has
 * 365 days.
 */
export function statisticsOf(run: StatisticsInput): Statistics {
  const { startEquity, startTime, curve, trades, rate = 1 } = run;
  const endTime = curve.times.at(curve.length - 1) ?? NaN;
  const days = dailyEquity(run);
  const returns = dailyReturns(run);
  const drawdown = startEquity > 0 ? maxDrawdown(startEquity, curve) : NaN;
  const growth = (curve.equity[curve.length - 1] ?? NaN) / startEquity;
  const years = (endTime - startTime) / DAY_MS / DAYS_PER_YEAR;
  const cagr = growth > 0 ? growth ** (1 / years) - 1 : NaN;
  return {
    return_pct: finite((growth - 1) * 100),
    cagr_pct: finite(cagr * 100),
    volatility_pct: finite(deviation(returns) * ANNUAL_FACTOR * 100),
    sharpe: annualRatio(returns, deviation(returns)),
    sortino: annualRatio(returns, downsideDeviation(returns)),
    calmar: finite(cagr / drawdown),
    ...significanceOf(returns),
    max_drawdown_pct: finite(drawdown * 100),
    ...drawdownStatistics(days),
    exposure_pct: finite((exposedMs(run, endTime) / (endTime - startTime)) * 100),
    turnover: finite(turnoverOf(trades, rate) / mean(days.slice(1).map(({ equity }) => equity))),
    ...tradeStatistics(trades, rate),
    months: monthsOf(days),
  };
}

const ANNUAL_FACTOR = Math.sqrt(DAYS_PER_YEAR);

/** Annualised mean / spread; null without a spread. */
export const annualRatio = (returns: readonly number[], spread: number): number | null =>
  spread > 0 ? finite((mean(returns) / spread) * ANNUAL_FACTOR) : null;

function significanceOf(
  returns: readonly number[],
): Pick<Statistics, 'psr' | 'sharpe_p_value' | 'min_track_record_days'> {
  const sample = sampleOf(returns);
  const psr = finite(probabilisticSharpe(sample));
  return {
    psr,
    sharpe_p_value: psr === null ? null : 1 - psr,
    min_track_record_days: finite(minTrackRecord(sample)),
  };
}

function drawdownStatistics(
  days: readonly DailyEquity[],
): Pick<
  Statistics,
  'avg_drawdown_pct' | 'max_drawdown_days' | 'avg_drawdown_days' | 'under_water_pct'
> {
  const drawdowns = drawdownsOf(days);
  const lengths = drawdowns.map(daysOf);
  const period = ((days.at(-1)?.time ?? NaN) - (days[0]?.time ?? NaN)) / DAY_MS;
  return {
    avg_drawdown_pct: finite(mean(drawdowns.map(({ depth }) => depth)) * 100),
    max_drawdown_days: lengths.reduce((a, b) => Math.max(a, b), 0),
    avg_drawdown_days: finite(mean(lengths)),
    under_water_pct: finite((lengths.reduce((a, b) => a + b, 0) / period) * 100),
  };
}

/** Length of the union of the times with an open position. */
function exposedMs({ trades, openSince = [] }: StatisticsInput, endTime: number): number {
  const spans = [
    ...trades.map(({ entryTime, exitTime }) => [entryTime, exitTime] as const),
    ...openSince.map((since) => [since, endTime] as const),
  ].sort(([a], [b]) => a - b);
  let total = 0;
  let covered = -Infinity;
  for (const [from, to] of spans) {
    total += Math.max(0, to - Math.max(from, covered));
    covered = Math.max(covered, to);
  }
  return total;
}

const turnoverOf = (trades: readonly MeasuredTrade[], rate: number): number =>
  trades.reduce((sum, trade) => {
    const exit = numberFromFixed(trade.quantity) * numberFromFixed(trade.exitPrice) * rate;
    return sum + entryValue(trade, rate) + exit;
  }, 0);
