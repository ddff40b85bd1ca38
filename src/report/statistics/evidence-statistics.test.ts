import { describe, expect, it } from 'vitest';
import { quantile, rollingReturns, worstDay, yearReturns } from './day-returns.js';
import { longestLosingRun } from './losing-run.js';
import { regimeReturns } from './market-regimes.js';
import { bootstrapTrades } from './trade-bootstrap.js';

const DAY = 86_400_000;
const START = Date.UTC(2024, 11, 1);
const daysOf = (...equities: readonly number[]) =>
  equities.map((equity, index) => ({ day: START + index * DAY, equity }));

describe('the statistics of days', () => {
  it('name the day of the lowest return', () => {
    expect(worstDay(daysOf(100, 110, 99, 120))).toEqual({
      date: '2024-12-03',
      return_pct: expect.closeTo(-10, 9) as number,
      net: -11,
    });
    expect(worstDay(daysOf(100))).toBeUndefined();
  });

  it('split the profit by calendar years, each from the end of the year before', () => {
    const equities = Array.from({ length: 40 }, (_, index) => 100 + index);
    const years = yearReturns(daysOf(...equities));
    expect(years.map(({ year, net }) => [year, net])).toEqual([
      ['2024', 30],
      ['2025', 9],
    ]);
  });

  it('count the windows with a gain, and none in a short run', () => {
    expect(rollingReturns(daysOf(100, 110, 105, 90), 2)).toMatchObject({
      windows: 2,
      positive_pct: 50,
    });
    expect(rollingReturns(daysOf(100, 110), 2)).toMatchObject({ windows: 0, worst_pct: null });
  });

  it('interpolate a quantile as type 7 of R', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([], 0.5)).toBeNull();
  });
});

describe('market regimes', () => {
  it('a day is up or down by the move of the market over 30 days, flat within 5 %, and the first 30 days count for none', () => {
    const market = daysOf(
      ...Array.from({ length: 31 }, () => 100),
      ...[104.99, 105.01, 95.01, 94.99],
    );
    const run = daysOf(...Array.from({ length: 31 }, () => 100), ...[101, 102, 103, 104]);
    const days = Object.fromEntries(
      regimeReturns(run, market).map(({ regime, days: count, net }) => [regime, [count, net]]),
    );
    expect(days).toEqual({ up: [1, 1], down: [1, 1], flat: [3, 2] });
  });
});

describe('the longest losing run', () => {
  it('is that of the most trades, then of the largest loss, and undefined without a loss', () => {
    const trades = [1, -1, -2, 3, -4, -1, 2].map((net, index) => ({ net, exitTime: index * DAY }));
    expect(longestLosingRun(trades)).toMatchObject({ trades: 2, net: -5 });
    expect(longestLosingRun([{ net: 1, exitTime: 0 }])).toBeUndefined();
  });
});

describe('the bootstrap of trades', () => {
  const limits = { day: 0.05, drawdown: 0.1 };
  const trades = (...nets: readonly number[]) =>
    nets.map((net, index) => ({ net, exitTime: START + index * DAY }));

  it('gives the same answer each time', () => {
    const own = trades(10, -20, 30, -5, 8);
    expect(bootstrapTrades(own, 1_000, limits)).toEqual(bootstrapTrades(own, 1_000, limits));
  });

  it('meets a limit always where each trade passes it, and never where none does', () => {
    expect(bootstrapTrades(trades(-60, -60, -60), 1_000, limits)).toMatchObject({
      day_limit_chance_pct: 100,
      drawdown_limit_chance_pct: 100,
      profit_pct: 0,
    });
    expect(bootstrapTrades(trades(10, 10), 1_000, limits)).toMatchObject({
      drawdown_pct_95: 0,
      day_limit_chance_pct: 0,
      profit_pct: 100,
    });
  });

  it('draws a win and a loss equally often', () => {
    const half = bootstrapTrades(trades(10, -11), 1_000_000, limits);
    // Two draws end above the start only if both win: one path in four.
    expect(half?.profit_pct).toBeGreaterThan(20);
    expect(half?.profit_pct).toBeLessThan(30);
  });

  it('has no answer without trades, or after the cash is lost', () => {
    expect(bootstrapTrades([], 1_000, limits)).toBeUndefined();
    expect(bootstrapTrades(trades(-1_000, 5), 1_000, limits)).toBeUndefined();
  });
});
