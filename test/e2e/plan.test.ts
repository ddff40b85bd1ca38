import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { numberFromFixed, ZERO } from '../../src/core/fixed/fixed.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox({ clock: { kind: 'fast', factor: 60 }, limits: false });
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

/** A configuration of this name on the shared state folder. */
function configOf(name: string, size = '0.002', symbol = 'BTCUSDT'): string {
  const secret = join(folder.path, 'secret');
  writeFileSync(secret, 'sandbox-secret\n');
  chmodSync(secret, 0o600);
  const { baseUrl, wsUrl } = served.server;
  const path = join(folder.path, `${name}.yaml`);
  writeFileSync(
    path,
    `mode: sandbox
account: bot
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: ${secret} }
state_dir: ${join(folder.path, 'state')}
on_stop: keep
strategies:
  - id: long
    use: ${resolve('test/fixtures/constant-target.ts')}
    symbols: [${symbol}]
    isolation: none
    size: { quantity: '${size}' }
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT], duplicate_window_ms: 1 }
`,
  );
  return path;
}

const held = (): number => served.sandbox.exchange.positions('USDT').length;
const run = (config: string, ...more: readonly string[]) =>
  runSluice(['run', '--config', config, '--duration', '6s', '--json', ...more]);
const planOf = async (config: string) => {
  const cliResult = await runSluice(['plan', config, '--json']);
  return { ...cliResult, json: JSON.parse(cliResult.stdout) };
};

describe('a position on the command line', () => {
  it('a manual sale is planned, stays sold, and is bought again with --resume', async () => {
    const config = configOf('bot');
    expect((await planOf(config)).json).toMatchObject({ journal: 'none', differences: [] });
    await run(config);
    expect(held()).toBe(1);

    const keptResult = await runSluice(['plan', config]);
    expect(keptResult.exitCode).toBe(0);
    expect(keptResult.stdout).toContain('configuration and journal agree');
    expect(keptResult.stdout).toContain(
      'first candle, long BTCUSDT at 0.002: target 1: nothing (reached); ' +
        'target 0: sell 0.002 reduce-only; target -1: sell 0.002 reduce-only, then sell 0.002',
    );
    expect((await planOf(configOf('larger', '0.003'))).json.differences).toMatchObject([
      { kind: 'size', symbol: 'BTCUSDT', strategy: 'long', was: '0.002', is: '0.003' },
    ]);
    expect((await planOf(configOf('other', '0.05', 'ETHUSDT'))).json.differences).toMatchObject([
      { kind: 'orphan', symbol: 'BTCUSDT' },
    ]);

    const sale = 'order place sell BTCUSDT --quantity 0.002 --reduce-only --yes --config';
    expect((await runSluice([...sale.split(' '), config])).exitCode).toBe(0);
    expect(held()).toBe(0);
    expect((await planOf(config)).json.differences).toMatchObject([{ kind: 'held' }]);

    const second = await run(config);
    expect(second.stderr).toContain('start with --resume BTCUSDT');
    expect(held()).toBe(0);
    await run(config, '--resume', 'BTCUSDT');
    expect(held()).toBe(1);
  }, 90_000);

  it('a kill switch is shown as the start handles it, and the start does so', async () => {
    const config = configOf('bot');
    const kill = join(folder.path, 'state', 'KILL');
    const [btc] = served.sandbox.exchange.positions('USDT');
    const price = String(Math.floor(numberFromFixed(btc?.entryPrice ?? ZERO) * 0.96));
    const rests = `order place buy BTCUSDT --quantity 0.002 --limit ${price} --yes --config`;
    const placed = await runSluice([...rests.split(' '), config]);
    expect(placed.exitCode, placed.stderr).toBe(0);
    writeFileSync(kill, '');
    const cliResult = await runSluice(['plan', config]);
    expect(cliResult.exitCode).toBe(0);
    expect(cliResult.stdout).toContain(
      `the kill switch is set: ${kill} exists. A start cancels the orders that have not ended ` +
        '(BTCUSDT accepted), has no flatten to finish, places nothing else and exits with ' +
        'code 4; `sluice resume` ends it\n',
    );
    expect(cliResult.stdout).not.toMatch(/refuses|first candle/);
    expect((await run(config)).exitCode).toBe(4);
    expect(served.sandbox.exchange.openOrders('USDT')).toEqual([]);
    expect((await planOf(config)).json.kill).toMatchObject({ cancels: 0, flatten: null });
    rmSync(kill);
    expect((await planOf(config)).json.kill).toBeNull();

    const elsewhere = configOf('fresh');
    const fresh = join(folder.path, 'fresh-state');
    writeFileSync(
      elsewhere,
      readFileSync(elsewhere, 'utf8').replace(/state_dir: .*/, `state_dir: ${fresh}`),
    );
    mkdirSync(fresh, { mode: 0o700 });
    writeFileSync(join(fresh, 'KILL'), '');
    expect((await runSluice(['plan', elsewhere])).stdout).toMatch(
      /^sluice run refuses: the kill switch is set: .* refused at once, because there is no journal/m,
    );
    expect((await run(elsewhere)).exitCode).toBe(4);
  }, 90_000);

  it('an invalid configuration cannot be planned', async () => {
    const path = join(folder.path, 'none.yaml');
    writeFileSync(path, 'mode: sandbox\n');
    expect((await runSluice(['plan', path])).exitCode).toBe(2);
    expect((await runSluice(['plan'])).exitCode).toBe(2);
  });
});
