import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  fixed,
  fixedFromNumber,
  multiply,
  numberFromFixed,
  type Amount,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { parseCandleCsv } from '../../market/candles/candle-csv.js';
import { indicators } from '../../market/indicators/indicators.js';
import { dailyReturns, type EquityCurve } from './equity-curve.js';
import { statisticsOf, type Statistics } from './statistics.js';
import { RoundTripTracker } from '../round-trips.js';
import type { MeasuredTrade } from './trade-statistics.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const DAY = 86_400_000;
const START = Date.UTC(2025, 0, 1);

const curveOf = (points: readonly (readonly [days: number, equity: number])[]): EquityCurve => ({
  times: Float64Array.from(points, ([days]) => START + days * DAY),
  equity: Float64Array.from(points, ([, equity]) => equity),
  length: points.length,
});
const run = (points: readonly (readonly [number, number])[], netPnls: readonly number[] = []) => ({
  startEquity: 100,
  startTime: START,
  curve: curveOf(points),
  trades: netPnls.map((pnl, index) => tradeOf({ net: pnl, day: index })),
});

/** A long of one unit at 100 for a day; `net` is its net PnL. */
function tradeOf({
  net,
  day = 0,
  ...more
}: { readonly net: number; readonly day?: number } & Partial<MeasuredTrade>): MeasuredTrade {
  const netPnl = fixedFromNumber<'USDT'>(net) as Amount;
  return {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'long',
    quantity: fixedFromNumber<'quantity'>(1),
    entryTime: START + day * DAY,
    exitTime: START + (day + 1) * DAY,
    entryPrice: fixedFromNumber<'price'>(100),
    exitPrice: fixedFromNumber<'price'>(100 + net),
    grossPnl: netPnl,
    fees: fixed(0),
    funding: fixed(0),
    netPnl,
    exitReason: 'signal',
    ...more,
  };
}

describe('daily returns', () => {
  test.each<{ name: string; points: [number, number][]; expected: number[] }>([
    { name: 'none of an empty curve', points: [], expected: [] },
    {
      name: 'the first against the start, a close at midnight in the day that ends',
      points: [
        [0.5, 105],
        [1, 110],
        [1.5, 50],
        [2, 99],
      ],
      expected: [0.1, -0.1],
    },
    {
      name: '0 for a day without data',
      points: [
        [1, 110],
        [3.5, 121],
      ],
      expected: [0.1, 0, 0, 0.1],
    },
    {
      name: 'none after a loss of all equity',
      points: [
        [1, -5],
        [2, 3],
      ],
      expected: [],
    },
  ])('daily returns are $name', ({ points, expected }) => {
    const returns = dailyReturns(run(points));
    expect(returns).toHaveLength(expected.length);
    returns.forEach((value, index) => expect(value).toBeCloseTo(expected[index] ?? NaN, 12));
  });
});

test('a worked example gives the expected statistics', () => {
  // Days: +10 %, −10 %, +10 %. Mean 1/30; sample deviation √(4/300); downside √(0.01/3).
  const statistics = statisticsOf(
    run(
      [
        [0.5, 120],
        [1, 110],
        [2, 99],
        [2.5, 90],
        [3, 108.9],
      ],
      [10, -4, 5, 0, -1],
    ),
  );
  expect(statistics.return_pct).toBeCloseTo(8.9, 10);
  expect(statistics.max_drawdown_pct).toBeCloseTo(25, 10);
  expect(statistics.sharpe).toBeCloseTo((1 / 30 / Math.sqrt(4 / 300)) * Math.sqrt(365), 10);
  expect(statistics.sortino).toBeCloseTo((1 / 30 / Math.sqrt(0.01 / 3)) * Math.sqrt(365), 10);
  expect(statistics.calmar).toBeCloseTo((1.089 ** (365 / 3) - 1) / 0.25, 4);
  expect(statistics.win_rate_pct).toBe(40);
  expect(statistics.profit_factor).toBe(3);
});

test('the start equity is the first peak', () => {
  expect(statisticsOf(run([[1, 90]])).max_drawdown_pct).toBeCloseTo(10, 10);
});

test('only the first rows of a curve count', () => {
  const whole = run([
    [1, 110],
    [2, 99],
    [3, 1],
  ]);
  const part = { ...whole, curve: { ...whole.curve, length: 2 } };
  expect(statisticsOf(part)).toEqual(
    statisticsOf(
      run([
        [1, 110],
        [2, 99],
      ]),
    ),
  );
});

/** Figures of a trade's PnL and of the daily returns. */
const RATIOS = ['sharpe', 'sortino', 'psr', 'sharpe_p_value', 'min_track_record_days', 'calmar'];
const OF_TRADES = ['win_rate_pct', 'profit_factor', 'payoff_ratio', 'expectancy', 'avg_trade_pct'];

test.each([
  {
    name: 'an empty curve',
    input: run([]),
    missing: ['return_pct', 'cagr_pct', 'volatility_pct', ...RATIOS, ...OF_TRADES],
  },
  {
    name: 'a flat curve',
    input: run([
      [1, 100],
      [2, 100],
    ]),
    missing: [...RATIOS, ...OF_TRADES, 'avg_drawdown_pct'],
  },
  {
    name: 'ruin',
    input: run([
      [1, 50],
      [2, -10],
      [3, -20],
    ]),
    missing: ['cagr_pct', 'volatility_pct', ...RATIOS, ...OF_TRADES],
  },
  {
    name: 'trades that all won',
    input: run([[1, 101]], [1]),
    missing: ['profit_factor', 'payoff_ratio', ...RATIOS],
  },
])('figures that $name does not define are null, never NaN or infinite', ({ input, missing }) => {
  const statistics = statisticsOf(input);
  for (const key of missing)
    expect({ key, value: get(statistics, key) }).toEqual({ key, value: null });
  expect(JSON.stringify(statistics, (_key, value: unknown) => notNumber(value))).not.toContain(
    'wrong',
  );
});

const get = (statistics: Statistics, key: string): unknown =>
  (statistics as unknown as Record<string, unknown>)[key];
const notNumber = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? 'wrong' : value;

test('drawdowns are counted from peak to peak, at the ends of days', () => {
  const statistics = statisticsOf(
    run([
      [1, 110],
      [2, 99],
      [4, 110],
      [5, 120],
      [6, 108],
      [6.5, 118],
    ]),
  );
  // 10 % from day 1 to day 4; 118 / 120 from day 5 to the end (the row at 108 ends day 6).
  expect(statistics.max_drawdown_days).toBe(3);
  expect(statistics.avg_drawdown_days).toBe(2.25);
  expect(statistics.avg_drawdown_pct).toBeCloseTo(10, 10);
  expect(statistics.under_water_pct).toBeCloseTo((4.5 / 6.5) * 100, 10);
});

test('overlapping trades and the open one are exposed once', () => {
  const trades = [
    tradeOf({ net: 1, day: 1 }),
    tradeOf({ net: 1, day: 1.5 }),
    tradeOf({ net: -1, day: 4 }),
  ];
  const statistics = statisticsOf({ ...run([[10, 101]]), trades, openSince: [START + 9 * DAY] });
  expect(statistics.exposure_pct).toBeCloseTo((1.5 + 1 + 1) * 10, 10);
  // Three entries at 100, exits at 101, 101 and 99.
  expect(statistics.turnover).toBeCloseTo(601 / 101, 10);
});

test('trades are split by side, symbol and exit reason, and counted in streaks', () => {
  const trades = [
    tradeOf({ net: 4 }),
    tradeOf({ net: 2, exitReason: 'stop_loss' }),
    tradeOf({ net: -1, side: 'short', exitReason: 'stop_loss' }),
    tradeOf({ net: 0, symbol: 'ETHUSDT' }),
    tradeOf({ net: -2, side: 'short' }),
  ];
  const statistics = statisticsOf({ ...run([[5, 103]]), trades });
  expect(statistics).toMatchObject({
    payoff_ratio: 2,
    expectancy: 0.6,
    best_trade: 4,
    worst_trade: -2,
    longest_winning_streak: 2,
    longest_losing_streak: 3,
    avg_trade_hours: 24,
    by_side: {
      long: { trades: 3, net: 6, profit_factor: null },
      short: { trades: 2, net: -3, win_rate_pct: 0, profit_factor: 0 },
    },
    by_symbol: { ETHUSDT: { trades: 1, net: 0 } },
    by_exit_reason: { stop_loss: { trades: 2, net: 1, win_rate_pct: 50 } },
  });
});

test('months begin at the first day in UTC, and a month without a row is left out', () => {
  const day = (date: string): number => (Date.parse(date) - START) / DAY;
  const { months } = statisticsOf(
    run([
      [day('2025-01-31T12:00Z'), 105],
      [day('2025-02-01T00:00Z'), 110],
      [day('2025-02-01T00:01Z'), 99],
      [day('2025-04-10T00:00Z'), 198],
    ]),
  );
  expect(months.map(({ month }) => month)).toEqual(['2025-01', '2025-02', '2025-04']);
  [10, -10, 100].forEach((value, index) => {
    expect(months[index]?.return_pct).toBeCloseTo(value, 10);
  });
});

interface Run {
  readonly book: RoundTripTracker;
  readonly curve: EquityCurve;
  readonly finalEquity: number;
}

/**
 * The rules of the published run: always in the market with one unit after the first cross, orders
 * fill at the next open, the last trade is closed at the open of the last candle.
 */
function crossing(columns: CandleColumns, cash: number, feeRate: number): Run {
  const book = new RoundTripTracker();
  const [fast, slow] = [indicators.sma(20), indicators.sma(50)];
  const equity = new Float64Array(columns.length);
  const rate = fixedFromNumber<'ratio'>(feeRate);
  let [position, balance, side, spread] = [0, cash, 0, NaN];
  const trade = (index: number, quantity: number): void => {
    if (quantity === 0) return;
    const price = columns.open[index] ?? NaN;
    const fee = multiply<'USDT'>(fixedFromNumber(price * Math.abs(quantity)), rate);
    const buy: Side = quantity > 0 ? 'buy' : 'sell';
    book.fill({
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side: buy,
      quantity: fixedFromNumber<'quantity'>(Math.abs(quantity)),
      price: fixedFromNumber<'price'>(price),
      fee,
      time: columns.openTime[index] ?? NaN,
    });
    balance -= quantity * price + numberFromFixed(fee);
    position += quantity;
  };
  for (let index = 0; index < columns.length; index++) {
    const last = index === columns.length - 1;
    trade(index, last ? -position : side - position);
    const close = columns.close[index] ?? NaN;
    equity[index] = balance + position * close;
    const [a, b] = [fast.next(close), slow.next(close)];
    const distance = a !== undefined && b !== undefined ? a - b : NaN;
    if (spread < 0 && distance > 0) side = 1;
    if (spread > 0 && distance < 0) side = -1;
    spread = distance;
  }
  const times = columns.openTime.map((time) => time + 3_600_000);
  const curve = { times, equity, length: columns.length };
  return { book, curve, finalEquity: balance };
}

const SHARED = process.env['SLUICE_SHARED'] ?? '../shared';
const DATA = join(SHARED, 'data', 'btcusdt-1h-2019-09_2026-05.csv.gz');
const missing = existsSync(DATA) ? '' : ` (skipped: ${DATA} is not there, see SLUICE_SHARED)`;

describe.skipIf(missing !== '')(`the published run of backtesting.py${missing}`, () => {
  test.each([
    { name: 'nofee', feeRate: 0 },
    { name: 'fee5bp', feeRate: 0.0005 },
  ])('SMA 20/50 on BTCUSDT 1h, first half of 2025, $name, agrees', ({ name, feeRate }) => {
    const reference = join(SHARED, 'reference', `backtestingpy-btcusdt-1h-2025H1-smacross-20-50`);
    const stats = JSON.parse(readFileSync(`${reference}-${name}-stats.json`, 'utf8')) as Record<
      string,
      number
    >;
    const columns = parseCandleCsv(readFileSync(DATA), DATA).within(START, Date.UTC(2025, 6, 1));
    const { book, curve, finalEquity } = crossing(columns, 1_000_000, feeRate);
    const statistics = statisticsOf({
      startEquity: 1_000_000,
      startTime: START,
      curve,
      trades: book.trades,
    });
    expect(statistics.win_rate_pct).toBeCloseTo(stats['Win Rate [%]'] ?? NaN, 9);
    expect(statistics.max_drawdown_pct).toBeCloseTo(-(stats['Max. Drawdown [%]'] ?? NaN), 9);
    expect(statistics.return_pct).toBeCloseTo(stats['Return [%]'] ?? NaN, 9);
    expect(finalEquity).toBeCloseTo(stats['Equity Final [$]'] ?? NaN, 4);
    expect(numberFromFixed(book.totals('USDT').fees)).toBeCloseTo(stats['Commissions [$]'] ?? 0, 6);

    const [, ...rows] = readFileSync(`${reference}-${name}-trades.csv`, 'utf8').trim().split('\n');
    expect(
      book.trades.map((trade) => [
        trade.side === 'long' ? 1 : -1,
        numberFromFixed(trade.entryPrice),
        numberFromFixed(trade.exitPrice),
        Math.round(numberFromFixed(trade.netPnl) * 1e6) / 1e6,
      ]),
    ).toEqual(
      rows.map((row) => {
        const [size, , , entry, exit, pnl] = row.split(',').map(Number);
        return [size, entry, exit, Math.round((pnl ?? NaN) * 1e6) / 1e6];
      }),
    );
  });
});

const GOOG = join(SHARED, 'reference', 'goog-1d-2004_2013.csv');
const noGoog = existsSync(GOOG) ? '' : ` (skipped: ${GOOG} is not there, see SLUICE_SHARED)`;

describe.skipIf(noGoog !== '')(`the published statistics of GOOG, SMA 10/30${noGoog}`, () => {
  /** The equity and the trades by the published rules: all equity in whole shares, fills at the next open. */
  function published() {
    const [, ...lines] = readFileSync(GOOG, 'utf8').trim().split('\n');
    const bars = lines.map((line) => {
      const [date = '', open, , , close] = line.split(',');
      return {
        time: Date.parse(`${date.slice(0, 10)}T00:00Z`),
        open: Number(open),
        close: Number(close),
      };
    });
    const average = (end: number, length: number): number =>
      end + 1 < length
        ? NaN
        : bars.slice(end + 1 - length, end + 1).reduce((sum, { close }) => sum + close, 0) / length;
    let [cash, shares, entry, entryTime, wanted] = [10_000, 0, 0, 0, 0];
    const trades: MeasuredTrade[] = [];
    const equity = bars.map(({ time, open, close }, index) => {
      const isLast = index === bars.length - 1;
      if (wanted !== 0 || isLast) {
        if (shares !== 0) {
          cash += shares * (open - entry);
          trades.push(
            tradeOf({
              net: shares * (open - entry),
              side: shares > 0 ? 'long' : 'short',
              quantity: fixedFromNumber<'quantity'>(Math.abs(shares)),
              entryPrice: fixedFromNumber<'price'>(entry),
              exitPrice: fixedFromNumber<'price'>(open),
              entryTime,
              exitTime: time,
            }),
          );
        }
        shares = isLast ? 0 : wanted * Math.floor(cash / open);
        [entry, entryTime, wanted] = [open, time, 0];
      }
      const [a0, b0] = [average(index - 1, 10), average(index - 1, 30)];
      const [a1, b1] = [average(index, 10), average(index, 30)];
      if (a0 < b0 && a1 > b1) wanted = 1;
      if (a0 > b0 && a1 < b1) wanted = -1;
      return cash + shares * (close - entry);
    });
    const times = Float64Array.from(bars, ({ time }) => time);
    const curve = { times, equity: Float64Array.from(equity), length: equity.length };
    return { startEquity: 10_000, startTime: bars[0]?.time ?? NaN, curve, trades };
  }

  test('every figure of one definition agrees to 1e-8', () => {
    const statistics = statisticsOf(published());
    const close = (value: number | null, expected: number): void => {
      expect(Math.abs((value ?? NaN) / expected - 1)).toBeLessThan(1e-8);
    };
    close(statistics.return_pct, 414.2298999999996);
    close(statistics.max_drawdown_pct, 47.98012705007589);
    close(statistics.avg_drawdown_pct, 5.925851581948801);
    expect(statistics.max_drawdown_days).toBe(584);
    // The source rounds mean lengths up to whole days.
    expect(Math.ceil(statistics.avg_drawdown_days ?? NaN)).toBe(41);
    close(statistics.win_rate_pct, 46.96969696969697);
    close(statistics.best_trade_pct, 53.59595229490424);
    close(statistics.worst_trade_pct, -18.39887353835481);
    close(statistics.avg_trade_pct, 3.2748078066748834);
    expect(Math.ceil((statistics.longest_trade_hours ?? NaN) / 24)).toBe(183);
    expect(Math.ceil((statistics.avg_trade_hours ?? NaN) / 24)).toBe(46);
  });
});

test('the same rules on a synthetic wave agree in trades, fees and equity', () => {
  const rows = Array.from({ length: 600 }, (_, hour) => {
    const phase = hour % 160;
    const price = 1_000 + (phase < 80 ? phase : 160 - phase) * 2;
    return `${START / 1_000 + hour * 3_600},${price},${price + 3},${price - 3},${price + 1},1`;
  });
  const text = ['open_time,open,high,low,close,volume', ...rows].join('\n');
  const columns = parseCandleCsv(new TextEncoder().encode(text), 'wave.csv');
  const { book, curve, finalEquity } = crossing(columns, 10_000, 0.001);
  const net = book.trades.reduce((sum, { netPnl }) => sum + scaledOf(netPnl), 0);
  expect(book.trades.length).toBeGreaterThan(4);
  expect(finalEquity).toBeCloseTo(10_000 + numberFromFixed(fixed(net)), 6);
  expect(curve.equity[curve.length - 1]).toBeCloseTo(finalEquity, 6);
});
