import { expect, test } from 'vitest';
import { fixedFromText } from '../core/fixed/fixed.js';
import { equityCsv, resultJson, tradesCsv } from './run-folder.js';
import type { EquityCurve } from './statistics.js';

test('result.json keeps the key order and has null for values that JSON cannot hold', () => {
  const text = resultJson({ run: 'a', sharpe: NaN, nested: { calmar: -Infinity, bars: 3 } });
  expect(text).toBe(
    '{\n  "run": "a",\n  "sharpe": null,\n  "nested": {\n    "calmar": null,\n    "bars": 3\n  }\n}\n',
  );
});

test('trades.csv has exact amounts', () => {
  const text = tradesCsv([
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
    },
  ]);
  expect(text).toBe(
    'symbol,currency,side,quantity,entry_time,entry_price,exit_time,exit_price,gross_pnl,fees,funding,net_pnl,exit_reason\n' +
      'BTCUSDT,USDT,short,0.01,2025-01-05T18:00:00.000Z,97695.1,2025-01-06T04:00:00.000Z,99005,' +
      '-13.099,0.98350051,-0.00000001,-14.0825005,stop_loss\n',
  );
});

test('trades.csv without trades is its header', () => {
  expect(tradesCsv([]).split('\n')).toHaveLength(2);
});

const curveOf = (values: readonly number[]): EquityCurve => ({
  times: Float64Array.from(values, (_, index) => (index + 1) * 60_000),
  equity: Float64Array.from(values),
  length: values.length,
});

test('equity.csv has seconds and plain decimals of at most 8 places', () => {
  expect(equityCsv(curveOf([10_000, 0.1 + 0.2, -1e-7, -1e-12, 100]))).toBe(
    'time,equity\n60,10000\n120,0.3\n180,-0.0000001\n240,0\n300,100\n',
  );
});

test.each([
  { count: 0, maxRows: 3, times: [] },
  { count: 3, maxRows: 3, times: [60, 120, 180] },
  { count: 10, maxRows: 3, times: [120, 360, 600] },
  { count: 7, maxRows: 1, times: [420] },
])('equity.csv of $count rows thinned to $maxRows ends with the last row', (row) => {
  const curve = curveOf(Array.from({ length: row.count }, (_, index) => index));
  const [, ...lines] = equityCsv(curve, row.maxRows).trim().split('\n');
  expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(row.times);
});
