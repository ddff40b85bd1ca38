import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { referenceMetrics } from '../support/reference/metrics.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

interface Result extends Readonly<Record<string, unknown>> {
  readonly from: string;
  readonly to: string;
  readonly open_trades: readonly { readonly entry_time: string }[];
}

async function backtest(name: string, ...args: readonly string[]) {
  const out = join(folder.path, name);
  const { exitCode, stdout, stderr } = await runSluice(['backtest', '--out', out, ...args]);
  expect(exitCode, stderr).toBe(0);
  const text = (file: string): string => readFileSync(join(out, file), 'utf8');
  return { stdout, text, result: JSON.parse(text('result.json')) as Result };
}

describe('the metrics of a backtest', () => {
  test.each([
    { name: 'fees', args: [] },
    { name: 'slippage', args: ['--slippage', '2', '--size', 'equity_pct=50'] },
    { name: 'one-day', args: ['--from', '2025-05-05', '--to', '2025-05-06'] },
  ])(
    'are computed again from trades.csv and equity.csv by another program ($name)',
    async ({ name, args }) => {
      const { text, result } = await backtest(name, ...args);
      const expected = referenceMetrics({
        trades: text('trades.csv'),
        equity: text('equity.csv'),
        cash: 10_000,
        from: result.from,
        to: result.to,
        openSince: result.open_trades.map(({ entry_time }) => entry_time),
      });
      for (const [key, value] of Object.entries(expected)) {
        if (!Number.isFinite(value)) {
          expect({ key, value: result[key] }).toEqual({ key, value: null });
          continue;
        }
        // The files round prices of averages and extremes.
        const difference = Math.abs(Number(result[key]) - value);
        expect({ key, isClose: difference <= 1e-6 * Math.max(1, Math.abs(value)) }).toEqual({
          key,
          isClose: true,
        });
      }
    },
    60_000,
  );

  test('the net profit is that of the prices less the costs, to the last digit', async () => {
    const { result } = await backtest('profit', '--slippage', '3', '--funding', '0.0001');
    const units = (key: string): bigint => {
      const [whole = '0', places = ''] = String(result[key]).replace('-', '').split('.');
      const value = BigInt(whole + places.padEnd(8, '0'));
      return String(result[key]).startsWith('-') ? -value : value;
    };
    expect(units('slippage')).toBeGreaterThan(0n);
    expect(units('net_profit')).toBe(
      units('price_pnl') - units('fees') - units('funding') - units('slippage'),
    );
    expect(units('net_profit')).toBe(units('final_equity') - 10_000n * 100_000_000n);
  });

  test('the summary answers the first questions, and --months and --verbose add the rest', async () => {
    const { stdout } = await backtest('summary', '--slippage', '0', '--months', '--verbose');
    for (const label of [
      'Period',
      'Net profit',
      'Buy and hold',
      'Sharpe',
      'Drawdown',
      'Exposure',
      'Trades',
    ])
      expect(stdout).toMatch(new RegExp(`^${label} +\\S`, 'm'));
    expect(stdout).toMatch(/^2025 .*-3\.0/m);
    expect(stdout).toContain('ns/bar');
    const plain = await backtest('plain');
    expect(plain.stdout).not.toContain('ns/bar');
  });
});
