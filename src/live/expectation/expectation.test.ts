import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../core/command-errors.js';
import { fixedFromNumber, type Amount, type Price, type Quantity } from '../../core/fixed/fixed.js';
import type { RoundTrip } from '../../report/round-trips.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { Expectation, readExpectation } from './expectation.js';
import { OUTSIDE_TRADES } from './expectation-status.js';
import { expectationText } from './expectation-text.js';
import { readExpectedRun } from './expected-run.js';

const expected = {
  name: 'good-run',
  hash: 'abc',
  results: Float64Array.from({ length: 41 }, (_, index) => (index - 20) / 10_000),
};

/** 0.02 at 50,000: 1,000 USDT. */
const trade = (gross: number): RoundTrip => ({
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'long',
  quantity: fixedFromNumber<'quantity'>(0.02) as Quantity,
  entryTime: 0,
  exitTime: 1,
  entryPrice: fixedFromNumber<'price'>(50_000) as Price,
  exitPrice: fixedFromNumber<'price'>(50_000) as Price,
  grossPnl: fixedFromNumber<'USDT'>(gross) as Amount,
  fees: fixedFromNumber<'USDT'>(0) as Amount,
  funding: fixedFromNumber<'USDT'>(0) as Amount,
  netPnl: fixedFromNumber<'USDT'>(gross) as Amount,
  exitReason: 'signal',
});

let files: MemoryFiles;
let warnings: string[];
const open = (hash = expected.hash): Promise<Expectation> =>
  Expectation.open({
    expected: { ...expected, hash },
    currency: 'USDT',
    stateDir: 'state',
    files,
    onOutside: (text) => void warnings.push(text),
  });

beforeEach(() => {
  files = new MemoryFiles();
  warnings = [];
});

describe('trades beside those of a backtest', () => {
  test('inside the band are no message', async () => {
    const expectation = await open();
    for (let count = 0; count < 60; count += 1) expectation.onClosed(trade(count % 2 ? 1 : -1), 1);
    expect(expectation.status).toMatchObject({ trades: 60, outside: 0, differs: false });
    expect(warnings).toEqual([]);
  });

  test('outside for 20 in a row are one message', async () => {
    const expectation = await open();
    for (let count = 1; count < OUTSIDE_TRADES; count += 1) expectation.onClosed(trade(-3), 1);
    expect(warnings).toEqual([]);
    for (let count = 0; count < 5; count += 1) expectation.onClosed(trade(-3), 1);
    expect(expectation.status).toMatchObject({ trades: 24, profit: '-72', outside: 24 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^the last 20 trades in a row lie outside the backtest: 20 closed trades made -60\.00 USDT before fees, and the backtest good-run expects -\d+\.\d\d to \d+\.\d\d USDT/,
    );
  });

  test('are counted on after a restart, and anew for another backtest', async () => {
    const before = await open();
    for (let count = 0; count < 19; count += 1) before.onClosed(trade(-3), 1);
    await before.save();
    expect(await readExpectation(files, 'state')).toEqual(before.status);
    const after = await open();
    after.onClosed(trade(-3), 1);
    expect(after.status).toMatchObject({ trades: 20, differs: true });
    expect((await open('another')).status.trades).toBe(0);
  });

  test('have margins that are the distances of the profit to the edges', async () => {
    const expectation = await open();
    expectation.onClosed(trade(1.5), 1);
    const { low, high } = expectation.status;
    expect(expectation.margins.low).toBeCloseTo(Number(low) - 1.5, 8);
    expect(expectation.margins.high).toBeCloseTo(Number(high) - 1.5, 8);
  });

  test('are written by the next call after a write that failed', async () => {
    const expectation = await open();
    expectation.onClosed(trade(1), 1);
    const replace = files.replace.bind(files);
    files.replace = () => Promise.reject(new Error('the disk is full'));
    await expect(expectation.save()).rejects.toThrow('the disk is full');
    files.replace = replace;
    await expectation.save();
    expect(await readExpectation(files, 'state')).toEqual(expectation.status);
  });

  test('with a damaged file begin anew', async () => {
    await files.replace('state/expectation.json', new TextEncoder().encode('{"version":1,'));
    expect(await readExpectation(files, 'state')).toBeNull();
    expect((await open()).status.trades).toBe(0);
  });

  test('have words for none, for one, and for a few outside', async () => {
    const expectation = await open();
    expect(expectationText(expectation.status)).toBe(
      'no trade has closed to compare with the backtest good-run',
    );
    expectation.onClosed(trade(0), 1);
    expect(expectationText(expectation.status)).toMatch(/^1 closed trade made 0\.00 USDT/);
    expectation.onClosed(trade(-9), 1);
    expect(expectationText(expectation.status)).toMatch(/: outside since 1 of them$/);
  });
});

test('a folder without a run is refused with its place', async () => {
  const reading = readExpectedRun(
    'backtests/none',
    { currency: 'USDT', place: 'bot.yaml:3:15' },
    files,
  );
  await expect(reading).rejects.toThrow(ConfigError);
  await expect(reading).rejects.toThrow(/^bot\.yaml:3:15: expected_run: backtests\/none: /);
});

test('an account in INR has the shares of one in USDT, although its profits are in rupees', async () => {
  const place = 'bot.yaml:3:15';
  const example = (name: string): string =>
    readFileSync(new URL(`../../../backtests/example/${name}`, import.meta.url), 'utf8');
  const put = (path: string, text: string): Promise<void> =>
    files.replace(path, new TextEncoder().encode(text));
  const [header = '', ...rows] = example('trades.csv').trimEnd().split('\n');
  const columns = header.split(',');
  const cell = (row: string, name: string): string => row.split(',')[columns.indexOf(name)] ?? '';
  const inRupees = rows.map((row) =>
    row
      .split(',')
      .map((text, at) => (columns[at] === 'gross_pnl' ? String(Number(text) * 90) : text))
      .join(','),
  );
  await put('usdt/result.json', example('result.json'));
  await put('usdt/trades.csv', [header, ...rows].join('\n'));
  await put('inr/result.json', example('result.json').replaceAll('"USDT"', '"INR"'));
  await put('inr/trades.csv', [header, ...inRupees].join('\n'));
  const dollars = await readExpectedRun('usdt', { currency: 'USDT', place }, files);
  const rupees = await readExpectedRun('inr', { currency: 'INR', place }, files);
  expect([...rupees.results]).toEqual([...dollars.results]);
  rows.forEach((row, at) => {
    const value = Number(cell(row, 'quantity')) * Number(cell(row, 'entry_price'));
    expect(dollars.results[at]).toBeCloseTo(Number(cell(row, 'gross_pnl')) / value, 8);
  });
});
