import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const START = Date.UTC(2025, 0, 1) / 1_000;
const SYMBOLS = ['AAAUSDT', 'BBBUSDT', 'CCCUSDT'];

/** Thirty candles at 100. */
function tape(): string {
  const rows = Array.from({ length: 30 }, (_, index) => `${START + index * 60},100,100,100,100,1`);
  return `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

it('a target that waits for the limit of entries a minute is asked again at the next candles', async () => {
  for (const symbol of SYMBOLS)
    writeFileSync(join(folder.path, `${symbol.toLowerCase()}-1m-2025-01.csv`), tape());
  const risk = join(folder.path, 'risk.yaml');
  writeFileSync(risk, "preset: standard\nsymbols_allow: '*'\nmax_entries_per_minute: 1\n");
  const { stdout, stderr } = await runSluice([
    ...['backtest', '--strategy', resolve('test/fixtures/constant-target.ts')],
    ...['--symbol', SYMBOLS.join(','), '--interval', '1m', '--data', folder.path],
    ...['--cash', '10000', '--size', 'quantity=1', '--funding', 'none', '--slippage', '0'],
    ...['--risk', risk, '--out', join(folder.path, 'out'), '--json'],
  ]);
  const line = stdout.trim().split('\n').at(-1) ?? '';
  expect(line, stderr).toMatch(/^\{/);
  expect(JSON.parse(line)).toMatchObject({ fills: 3, refused_by: { R09: 3 } });
}, 60_000);
