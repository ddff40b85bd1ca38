import { expect, test } from 'vitest';
import { autocorrelation, covariance, kurtosis, skewness } from './moments.js';
import { normalCdf, NORMAL_QUANTILE_95 } from './normal-distribution.js';
import {
  minTrackRecord,
  probabilisticSharpe,
  sampleOf,
  sharpeVariance,
} from './sharpe-significance.js';

/** The worked example of SSRN 5520741. */
const EXAMPLE = {
  sharpe: 0.036 / 0.079,
  length: 24,
  skewness: -2.448,
  kurtosis: 10.164,
  autocorrelation: 0,
};

test('the published example is met to its printed digits', () => {
  const { sharpe, length } = EXAMPLE;
  expect(Math.sqrt(sharpeVariance(EXAMPLE, sharpe) / length)).toBeCloseTo(0.328589, 6);
  expect(minTrackRecord(EXAMPLE)).toBeCloseTo(13.02878, 5);
  expect(probabilisticSharpe(EXAMPLE)).toBeCloseTo(0.987207, 6);
  expect(probabilisticSharpe(EXAMPLE, 0.1)).toBeCloseTo(0.939148, 6);
});

test('autocorrelated returns need a longer track record', () => {
  const correlated = { ...EXAMPLE, autocorrelation: 0.2 };
  const deviation = Math.sqrt(sharpeVariance(correlated, EXAMPLE.sharpe) / EXAMPLE.length);
  expect(deviation).toBeCloseTo(0.37949, 5);
  expect(minTrackRecord(correlated)).toBeCloseTo(19.543167, 6);
  expect(probabilisticSharpe(correlated)).toBeCloseTo(0.965832, 6);
});

test('a Sharpe ratio of 0 or below never becomes significant', () => {
  expect(minTrackRecord({ ...EXAMPLE, sharpe: 0 })).toBeNaN();
  expect(minTrackRecord({ ...EXAMPLE, sharpe: -1 })).toBeNaN();
});

// Values of the cumulative normal distribution to 15 digits.
test.each([
  [0, 0.5],
  [1, 0.841344746068543],
  [-1.96, 0.0249978951482204],
  [2.999, 0.9986456634662729],
  [3.001, 0.998654527174915],
  [-6, 9.86587645037698e-10],
  [NORMAL_QUANTILE_95, 0.95],
  [40, 1],
  [-40, 0],
])('the normal distribution below %f is %f', (z, expected) => {
  expect(Math.abs(normalCdf(z) - expected)).toBeLessThanOrEqual(expected * 2e-13);
});

test('moments of a small sample are those by hand', () => {
  const values = [1, 2, 3, 10];
  // Mean 4, deviations −3, −2, −1, 6: squares 50, cubes 180, fourths 1,394.
  expect(skewness(values)).toBeCloseTo(45 / 12.5 ** 1.5, 12);
  expect(kurtosis(values)).toBeCloseTo(348.5 / 12.5 ** 2, 12);
  expect(autocorrelation(values)).toBeCloseTo((6 + 2 - 6) / 50, 12);
  expect(covariance(values, [2, 4, 6, 20])).toBeCloseTo((2 * 50) / 3, 12);
  expect(sampleOf([1, -1, 1, -1]).autocorrelation).toBe(0);
});
