import { expect, test } from 'vitest';
import { equityCsv } from '../run-folder.js';
import { equityCurveOf } from './equity-file.js';

test('the equity that a run has written is read back', () => {
  const curve = {
    times: Float64Array.of(60_000, 120_000, 120_500),
    equity: Float64Array.of(10_000, -1.5, 9_999.12345678),
    length: 3,
  };
  const text = new TextDecoder().decode(equityCsv(curve, 10_000));
  expect(equityCurveOf(text)).toEqual(curve);
});

test.each([
  ['', 'line 1: it starts with ""'],
  ['time;equity\n60;1\n', 'line 1: it starts with "time;equity"'],
  ['time,equity\n60,1\n120,NaN\n', 'line 3: "120,NaN" is no time and equity'],
  ['time,equity\n60,1\n120\n', 'line 3: "120" is no time and equity'],
  ['time,equity\n60,1,2\n', 'line 2: "60,1,2" is no time and equity'],
  ['time,equity\n60,1\n60,2\n', 'line 3: its time is not after the row before'],
  ['time,equity\n', 'equity.csv has no row'],
])('a changed equity.csv %j is refused with its line', (text, problem) => {
  const read = equityCurveOf(text);
  expect('problem' in read && read.problem).toContain(problem);
  expect('problem' in read && read.problem).toContain('run the repeat command');
});
