import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StatusReport } from '../../src/live/status/status-report.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox } from '../support/rigs/served-sandbox.js';

const LONG_FOR_EVER = resolve('test/fixtures/constant-target.ts');
type Served = Awaited<ReturnType<typeof serveSandbox>>;

const folder = temporaryFolder();
let served: Served;
let config = '';

beforeAll(async () => {
  served = await serveSandbox({ clock: { kind: 'fast', factor: 20 } });
  config = join(folder.path, 'losses.yaml');
  const secret = join(folder.path, 'secret');
  writeFileSync(secret, served.sandbox.secret, { mode: 0o600 });
  writeFileSync(
    config,
    `mode: sandbox
account: losses
venue: { base_url: '${served.server.baseUrl}', ws_url: '${served.server.wsUrl}', api_secret_file: '${secret}' }
state_dir: '${join(folder.path, 'state')}'
on_stop: keep
log_level: warn
strategies:
  - { id: a, use: '${LONG_FOR_EVER}', symbols: [BTCUSDT], isolation: none, size: { notional: '400' } }
risk:
  preset: standard
  symbols_allow: [BTCUSDT]
  daily_loss_limit_pct: { soft: 0.4, hard: 1.2, hold_ms: 500 }
`,
  );
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function sandbox(path: string, body?: unknown) {
  const reply = await fetch(`${served.server.baseUrl}/sandbox/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  return (await reply.json()) as {
    readonly positions: readonly unknown[];
    readonly orders: readonly unknown[];
  };
}
const positions = async (): Promise<number> => (await sandbox('state')).positions.length;
const setPrice = (price: number) => sandbox('price', { symbol: 'BTCUSDT', price: String(price) });

async function until(holds: () => Promise<boolean>, ms = 30_000): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += 100) {
    if (await holds()) return true;
    await pause(100);
  }
  return false;
}

/** A run that ends by a signal once the script is through. */
async function runWhile(script: () => Promise<void>) {
  let stop: ((signal: 'SIGTERM') => void) | undefined;
  const result = runSluice(['run', '--config', config, '--json'], {
    onSignal: (listener) => {
      stop = listener;
      return () => (stop = undefined);
    },
  });
  await script();
  stop?.('SIGTERM');
  return result;
}

it('a crash beyond the soft limit stops entries, beyond the hard limit flattens, and a restart trades nothing', async () => {
  await setPrice(60_000);
  const seen: Record<string, unknown> = {};
  const first = await runWhile(async () => {
    seen['opened'] = await until(async () => (await positions()) === 1);
    // 400 USDT lose 12 %: 0.48 % of 10,000.
    await setPrice(52_800);
    await pause(4_000);
    seen['soft'] = await positions();
    // 40 %: 1.6 %.
    await setPrice(36_000);
    seen['flat'] = await until(async () => (await positions()) === 0);
    await pause(2_000);
  });
  expect(seen).toEqual({ opened: true, soft: 1, flat: true });
  expect(first.stderr).toMatch(
    /restricted \(REDUCE_ONLY\) by R19: loss of the venue day \(soft limit\)/,
  );
  expect(first.stderr).toMatch(
    /by R19: loss of the venue day \(hard limit\).*positions are closed/,
  );
  expect(JSON.parse(first.stdout)).toMatchObject({ reconciled: true, unknown: 0 });
  const { orders } = await sandbox('state');
  const second = await runWhile(async () => {
    await pause(8_000);
  });
  expect(JSON.parse(second.stdout)).toMatchObject({ orders_placed: 0, reconciled: true });
  expect((await sandbox('state')).orders.length).toBe(orders.length);
  const replay = await runSluice(['replay', join(folder.path, 'state'), '--json']);
  expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
}, 90_000);

it('a resume without a daemon ends the latched limit at the next start, which trades', async () => {
  const latched = await runSluice(['status', '--config', config, '--json']);
  expect(JSON.parse(latched.stdout)).toMatchObject({
    restrictions: [{ control: 'R19', class: 'latching' }],
  });
  const resumed = await runSluice(['resume', '--config', config, '--reason', 'reviewed']);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(resumed.stdout).toContain('the next start resumes the account');
  let status: StatusReport | undefined;
  let text = '';
  await runWhile(async () => {
    // The targets are restored when the strategies start, shortly after the mode has changed.
    await until(async () => {
      const { stdout } = await runSluice(['status', '--config', config, '--json']);
      status = JSON.parse(stdout) as StatusReport;
      return status.mode === 'TRADING' && status.strategies.some(({ held }) => held.length > 0);
    });
    text = (await runSluice(['status', '--config', config])).stdout;
  });
  expect(status).toMatchObject({
    ...{ running: true, mode: 'TRADING', restrictions: [] },
    strategies: [{ held: [{ symbol: 'BTCUSDT', reason: 'the position moved away from it' }] }],
  });
  // The flatten closed it: buying it back is the decision of a person.
  expect(text).toMatch(/BTCUSDT: its target is held, because .* \(sluice resume BTCUSDT\)/);
  const replay = await runSluice(['replay', join(folder.path, 'state'), '--json']);
  expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
}, 90_000);
