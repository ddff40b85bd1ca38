import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  config = join(folder.path, 'fees.yaml');
  writeFileSync(
    config,
    `mode: sandbox
account: fees
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

/** Exact, in units of 1e-8. */
const units = (text: string): bigint => {
  const [whole = '0', places = ''] = text.split('.');
  return BigInt(whole + places.padEnd(8, '0'));
};
const run = (...more: readonly string[]) =>
  runSluice(['run', '--config', config, '--duration', '5s', ...more]);
/** By kind of the rows: `transaction`, `rebate`; units of 1e-8. */
const charged = async (): Promise<(kind: string) => bigint> => {
  const { stdout } = await runSluice(['account', 'fees', '--config', config, '--all', '--json']);
  const { fees } = JSON.parse(stdout) as {
    fees: readonly { readonly kind: string; readonly amount: string }[];
  };
  return (kind) =>
    fees.filter((row) => row.kind === kind).reduce((sum, { amount }) => sum + units(amount), 0n);
};

/** Of the futures wallet at the venue, USDT. */
const walletTotal = async (): Promise<number> => {
  const { stdout } = await runSluice(['account', 'funds', '--config', config, '--json']);
  const { futures } = JSON.parse(stdout) as {
    readonly futures: { readonly total: string };
  };
  return Number(futures.total);
};

it('a run reports the fees of its own time, exactly, in JSON and as text', async () => {
  const first = await run('--json');
  const before = await charged();
  const { USDT } = (JSON.parse(first.stdout) as { fees: { USDT: Record<string, string> } }).fees;
  expect(before('transaction')).toBeGreaterThan(0n);
  expect(units(USDT['trading'] ?? '')).toBe(before('transaction'));
  // The field quirks include rebates.
  expect(units(USDT['rebates'] ?? '')).toBe(before('rebate'));
  expect(units(USDT['total'] ?? '')).toBe(before('transaction') - before('rebate'));
  expect(USDT['funding']).toBe('0');

  const { stdout } = await run();
  const [, stderrText = ''] =
    /Fees[ │]+[\d.]+ USDT \(trading ([\d.]+), funding 0, /.exec(stdout) ?? [];
  expect(units(stderrText), stdout).toBe((await charged())('transaction') - before('transaction'));
}, 120_000);

it('the profit of a run that ends flat is the change of the wallet, with the last fees', async () => {
  const before = await walletTotal();
  const { stdout } = await run('--json');
  const { pnl, positions } = JSON.parse(stdout) as { pnl: string; positions: readonly unknown[] };
  expect(positions).toEqual([]);
  expect(Number(pnl)).toBeCloseTo((await walletTotal()) - before, 5);
}, 120_000);
