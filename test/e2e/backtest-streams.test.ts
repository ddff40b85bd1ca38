import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

test.each([
  ['second-trader', 'seconds'],
  ['mark-trader', 'mark, mark-seconds'],
])('a backtest refuses %s, which needs data that it does not have', async (name, streams) => {
  const strategy = fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url));
  const { exitCode, stdout, stderr } = await runSluice([
    'backtest',
    '--strategy',
    strategy,
    '--out',
    `${folder.path}/out`,
  ]);
  expect(stderr).toContain(
    `strategy ${name} needs ${streams}: a backtest has candles of trades only, ` +
      'no one-second and no mark data; run it on a sandbox instead (sluice run)',
  );
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
});

const tilt = ['backtest', '--strategy', 'funding-tilt', '--symbol', 'BTCUSDT,ETHUSDT', '--json'];
const DAY_SECONDS = 86_400;
const MONDAY_SECONDS = Date.UTC(2025, 4, 5) / 1_000;

test('a backtest requires the funding that a strategy subscribes to', async () => {
  const { exitCode, stderr } = await runSluice([...tilt, '--out', `${folder.path}/none`]);
  expect(stderr).toContain('strategy funding-tilt needs funding: add --funding FILE|FOLDER|RATE');
  expect(exitCode).toBe(2);
});

test('a backtest emits settled rates and exchanges funding', async () => {
  const rates = `${folder.path}/rates`;
  mkdirSync(rates);
  for (const [symbol, rate] of [
    ['btcusdt', 0.001],
    ['ethusdt', -0.001],
  ] as const) {
    const rows = Array.from(
      { length: 8 },
      (_, day) => `${MONDAY_SECONDS + day * DAY_SECONDS},${rate}`,
    );
    writeFileSync(`${rates}/${symbol}-funding-2025-05.csv`, `time,rate\n${rows.join('\n')}\n`);
  }
  const { exitCode, stdout, stderr } = await runSluice([
    ...tilt,
    ...['--funding', rates, '--size', 'notional=1000', '--out', `${folder.path}/told`],
  ]);
  expect(stderr).toContain('no funding of BTCUSDT for 24 hours in a row');
  const result = JSON.parse(stdout) as { readonly fills: number; readonly funding: string };
  // It sold the payer and bought the receiver at 08:00 of the first day: seven settlements follow.
  expect(result.fills).toBe(2);
  expect(Number(result.funding)).toBeCloseTo(-2 * 7, 0);
  expect(exitCode).toBe(0);
});
