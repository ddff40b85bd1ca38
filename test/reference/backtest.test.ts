import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const SHARED = process.env['SLUICE_SHARED'] ?? '../shared';
const W1 = join(SHARED, 'bench/w1-1m.csv.gz');
const HOURLY = join(SHARED, 'data/btcusdt-1h-2019-09_2026-05.csv.gz');
const REFERENCE = join(
  SHARED,
  'reference/backtestingpy-btcusdt-1h-2025H1-smacross-20-50-fee5bp-trades.csv',
);
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

/** Rows of a CSV file as records. */
function rowsOf(path: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

async function backtest(args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { exitCode, stdout, stderr } = await runSluice(['backtest', ...args, '--json']);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

const PLAIN = ['--slippage', '0', '--funding', 'none', '--risk', 'none'];

describe('sma-cross against known results', () => {
  it.skipIf(!existsSync(W1))(
    'a backtest of a million candles gives the known result (needs SLUICE_SHARED)',
    async () => {
      const out = join(folder.path, 'w1');
      const result = await backtest(
        `--strategy sma-cross --param fast=10 --param slow=50 --size quantity=0.01 --cash 10000 --taker-fee 0.0005 --symbol BTCUSDT --data ${W1} --out ${out}`
          .split(' ')
          .concat(PLAIN),
      );
      expect(result).toMatchObject({ bars: 1_000_000, trades: 27_647, fills: 55_295, refused: 0 });
      expect(Number(result['final_equity'])).toBeCloseTo(4218.4756, 3);
      expect(rowsOf(join(out, 'trades.csv'))).toHaveLength(27_647);
    },
    120_000,
  );

  it.skipIf(!existsSync(REFERENCE) || !existsSync(HOURLY))(
    'every trade agrees with backtesting.py on hourly BTC (needs SLUICE_SHARED)',
    async () => {
      const out = join(folder.path, 'hourly');
      const result = await backtest(
        `--strategy sma-cross --param fast=20 --param slow=50 --size quantity=1 --cash 1000000 --taker-fee 0.0005 --interval 1h --from 2025-01-01 --to 2025-07-01 --data ${HOURLY} --out ${out}`
          .split(' ')
          .concat(PLAIN),
      );
      expect(result).toMatchObject({ bars: 4_344, trades: 106 });
      const ours = rowsOf(join(out, 'trades.csv'));
      // The reference closes its last trade; ours stays open and is valued at the last price.
      const theirs = rowsOf(REFERENCE).slice(0, 106);
      for (const [index, trade] of theirs.entries()) {
        const own = ours[index];
        const side = Number(trade['Size']) > 0 ? 'long' : 'short';
        expect(own?.['side'], `trade ${index}`).toBe(side);
        expect(own?.['entry_time']).toBe(instant(trade['EntryTime']));
        expect(own?.['exit_time']).toBe(instant(trade['ExitTime']));
        expect(Number(own?.['entry_price'])).toBe(Number(trade['EntryPrice']));
        expect(Number(own?.['exit_price'])).toBe(Number(trade['ExitPrice']));
        expect(Number(own?.['fees'])).toBeCloseTo(Number(trade['Commission']), 6);
        expect(Number(own?.['net_pnl'])).toBeCloseTo(Number(trade['PnL']), 6);
      }
    },
    60_000,
  );

  it('the strategy sells at the open after the cross, as computed by hand on eight candles', async () => {
    const data = join(folder.path, 'eight.csv');
    const closes = [100, 101, 103, 106, 104, 99, 94, 90];
    const rows = closes.map((close, index) => {
      const open = index === 0 ? 100 : (closes[index - 1] ?? close);
      const [low, high] = [Math.min(open, close), Math.max(open, close)];
      return `${1_746_403_200 + index * 60},${open},${high},${low},${close},1`;
    });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(data, ['open_time,open,high,low,close,volume', ...rows].join('\n'));
    const out = join(folder.path, 'eight');
    const result = await backtest(
      `--strategy sma-cross --param fast=2 --param slow=3 --size quantity=1 --cash 1000 --taker-fee 0.001 --symbol SOLUSDT --data ${data} --out ${out}`
        .split(' ')
        .concat(PLAIN),
    );
    // Fast minus slow at candles 2…7: 0.67, 1.17, 0.33 − …; by hand: 102 − 101.33 = 0.67,
    // 104.5 − 103.33 = 1.17, 105 − 104.33 = 0.67, 101.5 − 103 = −1.5. The first difference only
    // arms; the cross below comes at the close of candle 5 and sells at the open of candle 6: 99.
    expect(result).toMatchObject({ bars: 8, fills: 1, trades: 0 });
    // Short 1 at 99, valued at 90: +9 minus the fee of 0.099.
    expect(result['final_equity']).toBe('1008.901');
  }, 30_000);
});

const instant = (text: string | undefined): string =>
  new Date(`${(text ?? '').replace(' ', 'T')}Z`).toISOString();
