import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { conservationOf } from '../longrun/proofs/chunks/conservation.mjs';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const START = Date.UTC(2025, 0, 1) / 1_000;
const HOURS = 1_200;

/** A walk of two symbols, from integers alone. */
function closesOf(seed: number): readonly number[] {
  let [state, price] = [seed, 10_000];
  return Array.from({ length: HOURS + 1 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    price += (state % 401) - 200;
    return price;
  });
}
const CLOSES = { BTCUSDT: closesOf(7), ETHUSDT: closesOf(11) };

function rowsOf(closes: readonly number[]): readonly string[] {
  return closes.slice(1).map((close, index) => {
    const open = closes[index] as number;
    const [high, low] = [Math.max(open, close) + 30, Math.min(open, close) - 30];
    return `${START + index * 3_600},${open},${high},${low},${close},500`;
  });
}

/** Writes the candles and the funding of both symbols in so many files each. */
function splitInto(count: number): string {
  const path = join(folder.path, `parts-${count}`);
  mkdirSync(path);
  for (const [symbol, closes] of Object.entries(CLOSES)) {
    const funding = Array.from(
      { length: HOURS / 8 },
      (_, index) => `${START + index * 28_800},0.000${(index % 7) + 1}`,
    );
    const kinds = [
      ['1h', 'open_time,open,high,low,close,volume', rowsOf(closes)],
      ['funding', 'time,rate', funding],
    ] as const;
    for (const [kind, head, rows] of kinds) {
      const size = Math.ceil(rows.length / count);
      for (let part = 0; part < count; part += 1) {
        const own = rows.slice(part * size, (part + 1) * size);
        const name = `${symbol.toLowerCase()}-${kind}-${String(part).padStart(2, '0')}.csv`;
        writeFileSync(join(path, name), [head, ...own, ''].join('\n'));
      }
    }
  }
  return path;
}

async function backtest(parts: number, strategy: string) {
  const data = splitInto(parts);
  const out = join(folder.path, `out-${parts}`);
  const { exitCode, stdout, stderr } = await runSluice([
    ...['backtest', '--strategy', strategy, '--symbol', 'BTCUSDT,ETHUSDT', '--interval', '1h'],
    ...['--data', data, '--funding', data, '--size', 'equity_pct=50', '--leverage', '3'],
    ...['--no-report', '--no-bounds', '--json', '--out', out],
  ]);
  expect(exitCode, stderr).toBe(0);
  const table = (name: string): string => readFileSync(join(out, name), 'utf8');
  const tables = ['trades.csv', 'fills.csv', 'equity.csv'].map(table).join('');
  return {
    result: JSON.parse(stdout) as { readonly fills: number; readonly funding: string },
    fills: table('fills.csv'),
    hash: createHash('sha256').update(tables).digest('hex'),
  };
}

const prices = {
  BTCUSDT: String(CLOSES.BTCUSDT.at(-1)),
  ETHUSDT: String(CLOSES.ETHUSDT.at(-1)),
};

describe('a backtest of two symbols with funding', () => {
  it('gives the same tables from one file and from ten, and its money is conserved', async () => {
    const whole = await backtest(1, 'sma-cross');
    const split = await backtest(10, 'sma-cross');
    expect(split.hash).toBe(whole.hash);
    expect(whole.result.fills).toBeGreaterThan(50);
    expect(whole.result.funding).not.toBe('0');
    const books = conservationOf(whole.result, whole.fills, prices);
    expect(books).toMatchObject({ conserved: true, exact: '0.0000000000' });
  }, 60_000);

  it('a fill that the books lack is found', async () => {
    const { result, fills } = await backtest(2, 'sma-cross');
    const lines = fills.trimEnd().split('\n');
    const without = [...lines.slice(0, 1), ...lines.slice(2), ''].join('\n');
    expect(conservationOf(result, without, prices).conserved).toBe(false);
  }, 60_000);
});
