import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageData } from '../../src/report/page/page-data.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
let served: ServedSandbox;
let config = '';
beforeAll(async () => {
  served = await serveSandbox({ clock: { kind: 'fast', factor: 60 }, limits: false });
  const secret = join(folder.path, 'secret');
  writeFileSync(secret, 'sandbox-secret\n');
  chmodSync(secret, 0o600);
  config = join(folder.path, 'session.yaml');
  writeFileSync(
    config,
    `mode: sandbox
account: session
venue: { base_url: '${served.server.baseUrl}', ws_url: '${served.server.wsUrl}', api_secret_file: ${secret} }
state_dir: ${join(folder.path, 'state')}
on_stop: flatten
log_level: error
strategies:
  - id: flips
    use: ${resolve('test/fixtures/flip-flop.ts')}
    symbols: [BTCUSDT]
    isolation: none
    size: { quantity: '0.002' }
risk: { preset: standard, symbols_allow: [BTCUSDT], duplicate_window_ms: 1 }
`,
  );
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

interface Summary {
  readonly report: string | null;
  readonly pnl: string;
  readonly orders_filled: number;
  readonly fees: { readonly USDT: { readonly rebates: string } };
}

const run = async (...more: readonly string[]): Promise<Summary> => {
  const { stdout } = await runSluice([
    'run',
    '--config',
    config,
    '--duration',
    '6s',
    '--json',
    ...more,
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary;
};

test('a session ends with a report whose trades add up to its profit', async () => {
  const { report, pnl, orders_filled, fees } = await run();
  expect(report).toBe(join(folder.path, 'state/report.html'));
  const block = /id="data">(.*?)<\/script>/s.exec(readFileSync(report ?? '', 'utf8'))?.[1];
  const page = JSON.parse(block ?? '') as PageData;
  expect(page).toMatchObject({ kind: 'session', title: 'flips', symbols: ['BTCUSDT'] });
  expect(page.figures.fills).toBeGreaterThanOrEqual(orders_filled);
  expect(page.trades.total).toBeGreaterThan(0);
  expect(page.figures.open_trades).toEqual([]);
  // Flat at both ends: the trades are the profit, but for rebates and charges after the last reading of the wallet.
  const sum = page.trades.net.reduce((total, net) => total + net, 0);
  const missing = sum - (Number(pnl) - Number(fees.USDT.rebates));
  const named = /charges: (-?[\d.]+) USDT/.exec(page.warnings.join())?.[1];
  expect(Math.abs(missing - Number(named ?? 0))).toBeLessThan(0.02);
  expect(Number(page.figures.net_profit)).toBeCloseTo(Number(pnl), 6);
  expect(page.markets[0]?.close.length).toBeGreaterThan(3);
  expect(page.equity.times.length).toBeGreaterThan(3);
}, 60_000);

test('a session writes no report with --no-report', async () => {
  const file = join(folder.path, 'state/report.html');
  writeFileSync(file, 'of the run before');
  expect((await run('--no-report')).report).toBeNull();
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('of the run before');
}, 60_000);
