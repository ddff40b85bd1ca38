import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const DAY_MINUTES = 1_440;
const START = Date.UTC(2025, 0, 1) / 1_000;

/** Ten candles at 100, then 60 until ten candles into the next day. */
function tape(): string {
  const rows = Array.from({ length: DAY_MINUTES + 10 }, (_, index) => {
    const [open, close] = [index <= 10 ? 100 : 60, index < 10 ? 100 : 60];
    return `${START + index * 60},${open},${Math.max(open, close)},${Math.min(open, close)},${close},1`;
  });
  return `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

/** A position of 100 USDT on 1,000 USDT that is wanted at every candle. @param risk the risk file, or a preset */
async function backtest(name: string, risk: string) {
  const at = (file: string): string => join(folder.path, `${name}-${file}`);
  writeFileSync(at('tape.csv'), tape());
  writeFileSync(at('risk.yaml'), risk);
  const { stdout, stderr } = await runSluice([
    ...['backtest', '--strategy', resolve('test/fixtures/constant-target.ts')],
    ...['--symbol', 'TAPEUSDT', '--interval', '1m', '--data', at('tape.csv'), '--cash', '1000'],
    ...['--param', 'say=enter', '--size', 'quantity=1', '--funding', 'none', '--slippage', '0'],
    ...['--risk', risk === 'research' ? risk : at('risk.yaml'), '--out', at('out'), '--json'],
  ]);
  const line = stdout.trim().split('\n').at(-1) ?? '';
  expect(line, stderr).toMatch(/^\{/);
  return JSON.parse(line) as { readonly fills: number; readonly trades: number };
}

const risk = (rearm: string): string =>
  `preset: standard
symbols_allow: '*'
daily_loss_limit_pct: { soft: 1, hard: 3 }
rearm: ${rearm}
`;

it('under a risk file the hard limit of the day closes the position, and nothing is bought again', async () => {
  expect(await backtest('never', risk('never'))).toMatchObject({ fills: 2, trades: 1 });
});

it('with rearm next_day entries are allowed again in the next venue day', async () => {
  expect(await backtest('next', risk('next_day'))).toMatchObject({ fills: 3, trades: 1 });
});

it('under research the losses are recorded, and nothing is closed', async () => {
  expect(await backtest('research', 'research')).toMatchObject({ fills: 1, trades: 0 });
});

it('the turnover of a day counts what stops close', async () => {
  const at = (file: string): string => join(folder.path, `turnover-${file}`);
  const rows = Array.from({ length: 40 }, (_, index) => `${START + index * 60},100,100,98,100,50`);
  writeFileSync(at('tape.csv'), `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(
    at('config.yaml'),
    `strategies:
  - id: stopped
    use: '${resolve('test/fixtures/flip-flop.ts')}'
    symbols: [TAPEUSDT]
    size: { quantity: '1' }
    protect: { stop_loss_pct: 1 }
    params: { every: 1 }
risk: { preset: standard, symbols_allow: [TAPEUSDT], daily_turnover_x_equity: 1 }
`,
  );
  const { stdout, stderr } = await runSluice([
    ...['backtest', '--config', at('config.yaml'), '--data', at('tape.csv'), '--cash', '1000'],
    ...['--funding', 'none', '--slippage', '0', '--out', at('out'), '--json'],
  ]);
  const line = stdout.trim().split('\n').at(-1) ?? '';
  expect(line, stderr).toMatch(/^\{/);
  const { refused_by } = JSON.parse(line) as { readonly refused_by: object };
  expect(Object.keys(refused_by)).toContain('R40');
  const [, ...fills] = readFileSync(at('out/fills.csv'), 'utf8').trim().split('\n');
  expect(fills.filter((fill) => fill.includes('stop'))).not.toHaveLength(0);
  const notionals = fills.map((fill) => {
    const [, , , , quantity, price] = fill.split(',');
    return Number(quantity) * Number(price);
  });
  const turnover = notionals.reduce((sum, each) => sum + each, 0);
  // The rest is less than one more entry.
  expect(turnover).toBeLessThanOrEqual(1_000);
  expect(turnover).toBeGreaterThan(800);
});
