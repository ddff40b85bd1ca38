import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageData } from '../../src/report/page/page-data.js';
import type { ExpectationStatus } from '../../src/live/expectation/expectation-status.js';
import type { StatusReport } from '../../src/live/status/status-report.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
let served: ServedSandbox;
let config = '';
const expected = join(folder.path, 'expected');
beforeAll(async () => {
  const backtest = ['--strategy', resolve('test/fixtures/flip-flop.ts'), '--symbol', 'BTCUSDT'];
  const day = ['--interval', '1m', '--from', '2025-05-05', '--to', '2025-05-06', '--no-report'];
  const size = ['--data', 'bundled', '--funding', 'none', '--size', 'quantity=0.002'];
  const run = await runSluice(['backtest', ...backtest, ...day, ...size, '--out', expected]);
  expect(run.exitCode, run.stderr).toBe(0);
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
expected_run: expected
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
}, 120_000);
afterAll(async () => {
  await served.close();
  folder.remove();
});

interface Summary {
  readonly report: string | null;
  readonly pnl: string;
  readonly orders_filled: number;
  readonly expectation: ExpectationStatus;
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
  const { report, pnl, orders_filled, fees, expectation } = await run();
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
  // Beside it the band of the backtest, over the same trades.
  const { low, high } = page.equity.bounds ?? { low: [], high: [] };
  const { run_hash: hash } = JSON.parse(readFileSync(join(expected, 'result.json'), 'utf8')) as {
    readonly run_hash: string;
  };
  expect(expectation).toMatchObject({ run: 'expected', run_hash: hash, currency: 'USDT' });
  expect(expectation.trades).toBe(page.trades.total);
  const gross = sum + page.trades.fees.reduce((total, each) => total + each, 0);
  expect(Number(expectation.profit)).toBeCloseTo(gross, 2);
  expect(Number(expectation.high)).toBeGreaterThan(Number(expectation.low));
  const margin = Number(expectation.high) - Number(expectation.profit);
  expect((high.at(-1) ?? NaN) - (page.equity.equity.at(-1) ?? NaN)).toBeCloseTo(margin, 2);
  expect(low).toHaveLength(page.equity.times.length);
  expect(page.warnings.join()).toContain('the backtest expected expects');
}, 180_000);

const statusOf = async (): Promise<StatusReport> => {
  const { stdout } = await runSluice(['status', join(folder.path, 'state'), '--json']);
  return JSON.parse(stdout) as StatusReport;
};

test.each([
  ['nowhere', /session\.yaml:\d+:\d+: expected_run: .*nowhere: it has no result\.json/],
  ['rupees', /expected_run: .*rupees: its account is in INR, and this one in USDT/],
  ['short', /expected_run: .*short: it has \d closed trades?; a band needs 30/],
])(
  'a session that expects the run %s is refused',
  async (name, message) => {
    const market = ['--symbol', 'BTCUSDT', '--data', 'bundled', '--no-report', '--funding', 'none'];
    const days = [
      '--from',
      '2025-05-05',
      '--to',
      name === 'short' ? '2025-05-05T02:00:00Z' : '2025-05-06',
    ];
    const money = name === 'rupees' ? ['--currency', 'INR', '--cash', '900000'] : [];
    const out = ['--out', join(folder.path, name)];
    if (name !== 'nowhere') {
      const run = await runSluice(['backtest', ...market, ...days, ...money, ...out]);
      expect(run.exitCode, run.stderr).toBe(0);
    }
    const other = join(folder.path, `${name}-session.yaml`);
    writeFileSync(
      other,
      readFileSync(config, 'utf8').replace('expected_run: expected', `expected_run: ${name}`),
    );
    const { exitCode, stderr } = await runSluice(['run', '--config', other, '--duration', '1s']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  },
  120_000,
);

test('the next session goes on counting its trades, which status shows, and writes no report with --no-report', async () => {
  const file = join(folder.path, 'state/report.html');
  writeFileSync(file, 'of the run before');
  const before = await statusOf();
  expect(before.expectation?.run).toBe('expected');
  const { report, expectation } = await run('--no-report');
  expect(report).toBeNull();
  expect(expectation.trades).toBeGreaterThan(before.expectation?.trades ?? Infinity);
  expect((await statusOf()).expectation).toEqual(expectation);
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('of the run before');
}, 180_000);
