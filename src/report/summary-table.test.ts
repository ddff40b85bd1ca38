import { expect, test } from 'vitest';
import { summaryTable } from './summary-table.js';

const RESULT = {
  bars: 1_000_000,
  final_equity: '4218.4756',
  return_pct: -57.815244,
  sharpe: null,
  refused: 3,
  reconciled: true,
  report: undefined,
  load_ms: 183.123456789,
};

const lines = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.includes('│'))
    .map((line) => line.replace(/[│]/g, '|').replace(/ +/g, ' ').trim());

test('a result record is a table in its own order, with units and dashes', () => {
  expect(lines(summaryTable(RESULT, { colour: false, title: 'sma-cross on BTCUSDT' }))).toEqual([
    '| sma-cross on BTCUSDT |',
    '| Bars | 1,000,000 |',
    '| Final equity | 4218.4756 |',
    '| Return | -57.8152 % |',
    '| Sharpe | – |',
    '| Refused | 3 |',
    '| Reconciled | yes |',
    '| Load | 183.123 ms |',
  ]);
});

test('output without colour has no escape sequence; with colour losses are red', () => {
  const escape = String.fromCharCode(27);
  expect(summaryTable(RESULT, { colour: false, title: 'x' })).not.toContain(escape);
  const coloured = summaryTable(RESULT, { colour: true, title: 'x' });
  expect(coloured).toContain(`${escape}[31m-57.8152 %`);
  expect(coloured).toContain(`${escape}[33m3`);
});

test('NaN and infinity are a dash', () => {
  expect(lines(summaryTable({ sharpe: NaN, calmar: Infinity }, { colour: false }))).toEqual([
    '| Sharpe | – |',
    '| Calmar | – |',
  ]);
});
