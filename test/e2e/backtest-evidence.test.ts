import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { resultSchema, type RunResult } from '../../src/report/run/result-schema.js';
import { randomCandlesCsv } from '../support/random-candles.js';
import { referenceEvidence } from '../support/reference/evidence.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
const data = join(folder.path, 'btcusdt-1h-2025.csv');
writeFileSync(data, randomCandlesCsv(11, 3_600));
afterAll(() => {
  folder.remove();
});

const HOLDOUT = '2025-04-01T00:00:00.000Z';

async function backtest(name: string, ...args: readonly string[]) {
  const out = join(folder.path, name);
  const { exitCode, stdout, stderr } = await runSluice([
    ...['backtest', '--data', data, '--out', out, '--funding', '0.0001', ...args],
  ]);
  const text = (file: string): string => readFileSync(join(out, file), 'utf8');
  return { exitCode, stdout, stderr, text };
}

const parsed = (text: string): RunResult => resultSchema.parse(JSON.parse(text));

/** The value at a path such as `costs.net_at.0.net`. */
const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((each, key) => (each as Record<string, unknown> | null)?.[key], value);

describe('the evidence of a backtest', () => {
  test('is computed again from the tables of the run by another program', async () => {
    const { text } = await backtest('plain', '--holdout', HOLDOUT);
    const result = parsed(text('result.json'));
    const expected = referenceEvidence({
      trades: text('trades.csv'),
      fills: text('fills.csv'),
      equity: text('equity.csv'),
      cash: 10_000,
      net: Number(result.net_profit),
      from: result.from,
      holdout: HOLDOUT,
    });
    for (const [path, value] of Object.entries(expected)) {
      const own = at(result.evidence, path);
      if (typeof value === 'number') expect(own, path).toBeCloseTo(value, 6);
      else expect(own, path).toBe(value);
    }
    expect(result.evidence?.costs.net_at[1]?.net).toBeCloseTo(Number(result.net_profit), 8);
    expect(sumOf(result.evidence?.years ?? [])).toBeCloseTo(Number(result.net_profit), 6);
  }, 60_000);

  test('is one line of the summary with its reasons, the same as in the result', async () => {
    const { stdout, text } = await backtest('line');
    const { verdict } = parsed(text('result.json')).evidence ?? { verdict: undefined };
    const [first = ''] = verdict?.text.split('. ') ?? [];
    expect(first).toMatch(/^\d of \d tests speak for a profit after costs$/);
    expect(stdout).toContain(`Evidence      ${first}`);
    for (const { text: reason } of verdict?.tests ?? []) expect(stdout).toContain(reason);
  }, 60_000);

  test('is in the report of the run with the same numbers', async () => {
    const { text } = await backtest('page');
    const { evidence } = parsed(text('result.json'));
    const page = text('report.html');
    expect(page).toContain(`"evidence":${JSON.stringify(evidence).replaceAll('<', '\\u003c')}`);
  }, 60_000);

  test('a holdout outside of the data is refused with the range', async () => {
    const { exitCode, stderr } = await backtest('late', '--holdout', '2030-01-01');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/--holdout 2030-01-01T00:00:00.000Z is not within the data/);
  });
});

const sumOf = (years: readonly { readonly net: number }[]): number =>
  years.reduce((sum, { net }) => sum + net, 0);
