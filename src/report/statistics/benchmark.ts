import { maxDrawdown } from './drawdowns.js';
import { dailyReturns, DAYS_PER_YEAR, type EquityHistory } from './equity-curve.js';
import { covariance, deviation, finite, mean } from './moments.js';
import { annualRatio } from './statistics.js';

/** Buy and hold: the start equity, in equal parts, in each symbol of the run from its first candle. */
export interface Benchmark {
  readonly name: 'buy_and_hold';
  readonly return_pct: number | null;
  readonly max_drawdown_pct: number | null;
  readonly sharpe: number | null;
  /** Equity at the last close, in the run's currency. */
  readonly final_equity: number | null;
}

/** The run against its benchmark, by daily returns. */
export interface BenchmarkComparison {
  readonly benchmark: Benchmark;
  /** Covariance of the daily returns / variance of the benchmark's. */
  readonly beta: number | null;
  /** (Mean daily return − beta × that of the benchmark) × 365 × 100. Risk-free rate 0 (Jensen). */
  readonly alpha_pct: number | null;
}

/** @param benchmark equity of buy and hold at the times of the run's curve */
export function compareWithBenchmark(
  run: EquityHistory,
  benchmark: EquityHistory,
): BenchmarkComparison {
  const [own, held] = [dailyReturns(run), dailyReturns(benchmark)];
  const { startEquity, curve } = benchmark;
  const final = curve.equity[curve.length - 1] ?? NaN;
  const beta =
    own.length === held.length ? covariance(own, held) / deviation(held) ** 2 : Number.NaN;
  return {
    benchmark: {
      name: 'buy_and_hold',
      return_pct: finite((final / startEquity - 1) * 100),
      max_drawdown_pct: finite(maxDrawdown(startEquity, curve) * 100),
      sharpe: annualRatio(held, deviation(held)),
      final_equity: finite(final),
    },
    beta: finite(beta),
    alpha_pct: finite((mean(own) - beta * mean(held)) * DAYS_PER_YEAR * 100),
  };
}
