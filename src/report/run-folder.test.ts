import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedFromText } from '../core/fixed/fixed.js';
import { equityCsv, resultJson, tradesCsv } from './run-folder.js';
import type { EquityCurve } from './statistics/equity-curve.js';
import { statisticsOf } from './statistics/statistics.js';

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('result.json keeps the key order and has null for values that JSON cannot hold', () => {
  const text = resultJson({ run: 'a', sharpe: NaN, nested: { calmar: -Infinity, bars: 3 } });
  expect(text).toBe(
    '{\n  "run": "a",\n  "sharpe": null,\n  "nested": {\n    "calmar": null,\n    "bars": 3\n  }\n}\n',
  );
});

test('trades.csv has exact amounts', () => {
  const text = textOf(
    tradesCsv([
      {
        symbol: 'BTCUSDT',
        currency: 'USDT',
        side: 'short',
        quantity: fixedFromText('0.01'),
        entryTime: Date.UTC(2025, 0, 5, 18),
        exitTime: Date.UTC(2025, 0, 6, 4),
        entryPrice: fixedFromText('97695.1'),
        exitPrice: fixedFromText('99005'),
        grossPnl: fixedFromText<'USDT'>('-13.099'),
        fees: fixedFromText<'USDT'>('0.98350051'),
        funding: fixedFromText<'USDT'>('-0.00000001'),
        netPnl: fixedFromText<'USDT'>('-14.0825005'),
        exitReason: 'stop_loss',
        maePct: -1.3408,
        mfePct: 0.25,
      },
    ]),
  );
  expect(text).toBe(
    'symbol,currency,side,quantity,entry_time,entry_price,exit_time,exit_price,gross_pnl,fees,funding,net_pnl,mae_pct,mfe_pct,exit_reason\n' +
      'BTCUSDT,USDT,short,0.01,2025-01-05T18:00:00.000Z,97695.1,2025-01-06T04:00:00.000Z,99005,' +
      '-13.099,0.98350051,-0.00000001,-14.0825005,-1.340800,0.250000,stop_loss\n',
  );
});

test('trades.csv without trades is its header', () => {
  expect(textOf(tradesCsv([])).split('\n')).toHaveLength(2);
});

const START = Date.UTC(2025, 0, 1);

const curveOf = (values: readonly number[]): EquityCurve => ({
  times: Float64Array.from(values, (_, index) => (index + 1) * 60_000),
  equity: Float64Array.from(values),
  length: values.length,
});

test('equity.csv has seconds and plain decimals of at most 8 places', () => {
  expect(textOf(equityCsv(curveOf([10_000, 0.1 + 0.2, -1e-7, -1e-12, 100]), 10_000))).toBe(
    'time,equity\n60,10000\n120,0.3\n180,-0.0000001\n240,0\n300,100\n',
  );
});

const rowsOf = (bytes: Uint8Array): readonly (readonly [time: number, equity: number])[] =>
  textOf(bytes)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number) as [number, number]);

test('a curve below the limit keeps every row', () => {
  expect(rowsOf(equityCsv(curveOf([1, 2, 3]), 1, 3)).map(([time]) => time)).toEqual([60, 120, 180]);
  expect(rowsOf(equityCsv(curveOf([]), 1, 3))).toEqual([]);
});

test('a thinned curve has the returns, the deepest drawdown and the days of the whole', () => {
  const step = fc.integer({ min: -400, max: 410 });
  const limits = fc.integer({ min: 5, max: 200 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 900 }), limits, (steps, maxRows) => {
      let value = 10_000;
      const curve = {
        times: Float64Array.from(steps, (_, index) => START + (index + 1) * 600_000),
        equity: Float64Array.from(steps, (change) => (value = Math.max(1, value + change))),
        length: steps.length,
      };
      const rows = rowsOf(equityCsv(curve, 10_000, maxRows));
      const thinned = {
        times: Float64Array.from(rows, ([time]) => time * 1_000),
        equity: Float64Array.from(rows, ([, equity]) => equity),
        length: rows.length,
      };
      const of = (curve: EquityCurve) =>
        statisticsOf({ startEquity: 10_000, startTime: START, curve, trades: [] });
      expect(of(thinned)).toEqual(of(curve));
      expect(rows.length).toBeLessThanOrEqual(maxRows + 5 + steps.length / 144);
    }),
    { numRuns: 300, examples: [[[0, 0, 1, -1, 2], 5]] },
  );
});
