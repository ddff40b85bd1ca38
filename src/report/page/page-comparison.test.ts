import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { EquityCurve } from '../statistics/equity-curve.js';
import { resultSchema, type RunResult } from '../run/result-schema.js';
import { comparisonPageOf, type RunToCompare } from './page-comparison.js';
import { scriptJson } from './report-page.js';

const EXAMPLE = new URL('../../../backtests/example/result.json', import.meta.url);
const example: RunResult = resultSchema.parse(JSON.parse(readFileSync(EXAMPLE, 'utf8')));
const START = Date.parse(example.from);
const MINUTE = 60_000;

const curveOf = (values: readonly number[], start = START): EquityCurve => ({
  times: Float64Array.from(values, (_, index) => start + (index + 1) * MINUTE),
  equity: Float64Array.from(values),
  length: values.length,
});

const runOf = (changes: Partial<RunResult> = {}, curve = curveOf([10_000])): RunToCompare => ({
  name: 'a',
  result: { ...example, ...changes },
  curve,
  verified: true,
  report: null,
});

const other = { run_hash: 'b'.repeat(64) };

test('each curve starts at 100, its cash, and has the drawdown below its own peak', () => {
  const cash = { inputs: { ...example.inputs, cash: '500' } };
  const [first, second] = comparisonPageOf([
    runOf({}, curveOf([10_100, 9_090, 10_000])),
    runOf({ ...cash, ...other }, curveOf([500, 250])),
  ]).runs;
  expect(first).toMatchObject({
    letter: 'A',
    times: [0, 1, 2, 3].map((minutes) => START / 1_000 + minutes * 60),
    index: [100, 101, 90.9, 100],
    drawdown: [0, 0, -10, -0.9901],
  });
  expect(second).toMatchObject({ letter: 'B', index: [100, 100, 50], drawdown: [0, 0, -50] });
});

test('runs alike have no notes, and the inputs that differ have readable values', () => {
  const [strategy] = example.inputs.strategies;
  if (strategy === undefined) throw new Error('the example has no strategy');
  const params = { ...strategy.params, fast: [1, 2], slow: null, name: 'x'.repeat(200) };
  const inputs = { ...example.inputs, strategies: [{ ...strategy, params }] };
  const page = comparisonPageOf([runOf(), runOf({ inputs, ...other })]);
  expect(page.notes).toEqual([]);
  const values = Object.fromEntries(page.inputs.map((row) => [row.key, row.values[1]]));
  expect(values).toMatchObject({
    'strategy.params.fast': '1, 2',
    'strategy.params.slow': 'none',
    'strategy.params.name': `${'x'.repeat(159)}…`,
  });
});

test('the steps of a symbol that only one run trades are no difference of their own', () => {
  const instruments = example.inputs.instruments.map((each) => ({ ...each, symbol: 'ETHUSDT' }));
  const inputs = { ...example.inputs, instruments };
  const page = comparisonPageOf([runOf(), runOf({ inputs, ...other })]);
  expect(page.inputs).toEqual([]);
});

test.each<[string, Partial<RunResult>, RegExp]>([
  ['different periods', { from: new Date(START + MINUTE).toISOString() }, /different periods/],
  [
    'no common time',
    { from: '2030-01-01T00:00:00.000Z', to: '2030-02-01T00:00:00.000Z' },
    /no time in common/,
  ],
  ['different currencies', { currency: 'INR' }, /in USDT and INR: amounts of money have no best/],
  ['a run that was stopped', { interrupted: true }, /^B: the run was stopped/],
  ['one run twice', { run_hash: example.run_hash }, /^A and B have the same inputs and results/],
])('a note names %s', (_name, changes, note) => {
  const { notes } = comparisonPageOf([runOf(), runOf({ ...other, ...changes })]);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(note);
});

test('runs of different periods have no best return, and a best Sharpe ratio', () => {
  const later = { from: new Date(START + MINUTE).toISOString(), return_pct: 99, sharpe: 99 };
  const { results } = comparisonPageOf([runOf({ sharpe: 1 }), runOf({ ...other, ...later })]);
  const best = Object.fromEntries(results.map((row) => [row.key, row.best]));
  expect(best).toMatchObject({ return_pct: [], sharpe: [1] });
});

test('a note names a run whose files were changed', () => {
  const { notes } = comparisonPageOf([{ ...runOf(), verified: false }, runOf(other)]);
  expect(notes[0]).toMatch(/^A: a file was changed after the run/);
});

test('six long curves stay below 1 MB, and the page says that they are thinned', () => {
  const long = curveOf(
    Array.from({ length: 200_000 }, (_, index) => 10_000 + Math.sin(index / 700) * (index / 50)),
  );
  const page = comparisonPageOf(Array.from({ length: 6 }, () => runOf({}, long)));
  expect(scriptJson(page).length).toBeLessThan(1_000_000);
  expect(page.thinned).toHaveLength(6);
  expect(page.thinned[5]).toMatch(/^The curve of F shows \d+ of 200000 rows/);
});
