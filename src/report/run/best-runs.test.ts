import { expect, test } from 'vitest';
import { bestRuns } from './best-runs.js';

const ALIKE = { isOneCurrency: true, isOnePeriod: true, areLong: true };

test.each([
  ['a higher profit is better', 'net_profit', ['-3.5', '12', '9'], [1]],
  ['a smaller drawdown is better', 'max_drawdown_pct', [3, 1.5, 4], [1]],
  ['equal best values are all best', 'sharpe', [1, 2, 2], [1, 2]],
  ['values that are all equal have no best', 'sharpe', [2, 2], []],
  ['a run without the figure takes no part', 'profit_factor', [null, 0.8, 1.1, undefined], [2]],
  ['a figure of one run has no best', 'profit_factor', [null, 0.8], []],
  ['a figure without a better side has no best', 'trades', [10, 20], []],
])('%s', (_name, key, values, best) => {
  expect(bestRuns({ key, values }, ALIKE)).toEqual(best);
});

test('money of different currencies has no best, and ratios have one', () => {
  const other = { ...ALIKE, isOneCurrency: false };
  expect(bestRuns({ key: 'net_profit', values: ['1', '90'] }, other)).toEqual([]);
  expect(bestRuns({ key: 'expectancy', values: [1, 90] }, other)).toEqual([]);
  expect(bestRuns({ key: 'sharpe', values: [1, 90] }, other)).toEqual([1]);
});

test('figures that grow with the period have no best over different periods', () => {
  const other = { ...ALIKE, isOnePeriod: false };
  expect(bestRuns({ key: 'return_pct', values: [1, 90] }, other)).toEqual([]);
  expect(bestRuns({ key: 'max_drawdown_pct', values: [1, 90] }, other)).toEqual([]);
  expect(bestRuns({ key: 'cagr_pct', values: [1, 90] }, other)).toEqual([1]);
});

test('yearly figures have no best where a run is shorter than a month', () => {
  const short = { ...ALIKE, areLong: false };
  expect(bestRuns({ key: 'cagr_pct', values: [-99.9, 12] }, short)).toEqual([]);
  expect(bestRuns({ key: 'calmar', values: [-82, 1] }, short)).toEqual([]);
  expect(bestRuns({ key: 'sharpe', values: [1, 2] }, short)).toEqual([1]);
});
