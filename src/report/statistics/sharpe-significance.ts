import { autocorrelation, deviation, kurtosis, mean, skewness } from './moments.js';
import { normalCdf, NORMAL_QUANTILE_95 } from './normal-distribution.js';

/** A sample of returns, as far as the distribution of its Sharpe ratio depends on it. */
export interface ReturnSample {
  /** Mean / standard deviation, for one period; not annualised. */
  readonly sharpe: number;
  /** Number of periods. */
  readonly length: number;
  readonly skewness: number;
  /** 3 for a normal distribution. */
  readonly kurtosis: number;
  /** Of consecutive returns, from 0 to below 1. */
  readonly autocorrelation: number;
}

/** A negative autocorrelation would make the test less strict: it counts as 0. */
export const sampleOf = (returns: readonly number[]): ReturnSample => ({
  sharpe: mean(returns) / deviation(returns),
  length: returns.length,
  skewness: skewness(returns),
  kurtosis: kurtosis(returns),
  autocorrelation: Math.max(0, autocorrelation(returns)),
});

/**
 * Variance of the estimated Sharpe ratio for one period, where the true one is `sharpe` (López de Prado, Lipton
 * and Zoonekynd, "How to use the Sharpe ratio", SSRN 5520741):
 * a − b γ₃ SR + c (γ₄ − 1) / 4 SR², with a = (1 + ρ) / (1 − ρ), b = 1 + ρ / (1 − ρ) + ρ² / (1 − ρ²) and
 * c = (1 + ρ²) / (1 − ρ²).
 */
export function sharpeVariance(sample: ReturnSample, sharpe: number): number {
  const { skewness: skew, kurtosis: kurt, autocorrelation: rho } = sample;
  const a = (1 + rho) / (1 - rho);
  const b = 1 + rho / (1 - rho) + (rho * rho) / (1 - rho * rho);
  const c = (1 + rho * rho) / (1 - rho * rho);
  return a - b * skew * sharpe + (c * (kurt - 1) * sharpe * sharpe) / 4;
}

/**
 * Probability that the true Sharpe ratio is above a threshold (PSR): Φ((SR − SR₀) √T / σ(SR₀)), with the
 * variance at the threshold.
 */
export const probabilisticSharpe = (sample: ReturnSample, threshold = 0): number =>
  normalCdf(
    ((sample.sharpe - threshold) * Math.sqrt(sample.length)) /
      Math.sqrt(sharpeVariance(sample, threshold)),
  );

/**
 * Periods after which a Sharpe ratio this high is significant at 95 % (MinTRL): σ²(SR₀) (z / (SR − SR₀))².
 * NaN where the ratio is not above the threshold.
 */
export const minTrackRecord = (sample: ReturnSample, threshold = 0): number =>
  sample.sharpe > threshold
    ? sharpeVariance(sample, threshold) * (NORMAL_QUANTILE_95 / (sample.sharpe - threshold)) ** 2
    : NaN;
