import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  fixed,
  fixedFromNumber,
  multiply,
  numberFromFixed,
  type Amount,
} from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';
import { parseCandleCsv } from '../market/candles/candle-csv.js';
import { indicators } from '../market/indicators/indicators.js';
import { dailyReturns, statisticsOf, type EquityCurve } from './statistics.js';
import { RoundTripTracker } from './round-trips.js';
import { scaledOf } from '../../test/support/builders/scaled.js';

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
  trades: netPnls.map((pnl) => ({ netPnl: fixedFromNumber<'USDT'>(pnl) as Amount })),
});

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

test.each([
  { name: 'an empty curve', input: run([]), defined: ['max_drawdown_pct'] },
  {
    name: 'a flat curve',
    input: run([
      [1, 100],
      [2, 100],
    ]),
    defined: ['return_pct', 'max_drawdown_pct'],
  },
  {
    name: 'ruin',
    input: run([
      [1, 50],
      [2, -10],
      [3, -20],
    ]),
    defined: ['return_pct', 'max_drawdown_pct'],
  },
  {
    name: 'trades that all won',
    input: run([[1, 101]], [1]),
    defined: ['return_pct', 'max_drawdown_pct', 'win_rate_pct'],
  },
])('figures that $name does not define are null, never NaN or infinite', ({ input, defined }) => {
  for (const [key, value] of Object.entries(statisticsOf(input))) {
    expect({ key, value: value === null }).toEqual({ key, value: !defined.includes(key) });
  }
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
