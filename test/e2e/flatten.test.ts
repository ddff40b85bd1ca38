import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/command-io.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox } from '../support/rigs/served-sandbox.js';

const HOARDER = fileURLToPath(
  new URL('../../bench/unknown-orders/resting-orders.ts', import.meta.url),
);
type Served = Awaited<ReturnType<typeof serveSandbox>>;

/** Flatten and the kill switch, through command line, files, signals and HTTP only. */
describe('a run that must close its position and orders', () => {
  const folder = temporaryFolder();
  let served: Served;
  let config = '';
  let stateDir = '';

  const requestJson = async (path: string, method = 'GET', body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const text = body === undefined ? null : JSON.stringify(body);
    const reply = await fetch(`${served.server.baseUrl}/sandbox/${path}`, {
      method,
      headers,
      body: text,
    });
    return (await reply.json()) as Record<string, never>;
  };
  const atVenue = async () => {
    const { orders, positions } = (await requestJson('state')) as unknown as {
      orders: readonly { status: string; client_order_id?: string }[];
      positions: readonly unknown[];
    };
    const open = orders.filter(({ status }) => status === 'CREATED');
    return { orders: open.length, positions: positions.length };
  };
  /** A terminal that presses a key each time a condition holds. */
  const pressing = (holds: () => Promise<boolean>, keys: readonly ('SIGINT' | 'SIGTERM')[]) => {
    const onSignal: Io['onSignal'] = (listener) => {
      let stop = false;
      const wait = async (): Promise<void> => {
        while (!stop && !(await holds())) await pause(100);
        for (const key of keys) {
          if (stop) return;
          listener(key);
          await pause(500);
        }
      };
      void wait();
      return () => (stop = true);
    };
    return { onSignal };
  };
  const run = (args: readonly string[], io: Partial<Io>) =>
    runSluice(['run', '--config', config, '--json', ...args], io);
  const hoards = async () => {
    const { orders, positions } = await atVenue();
    return orders >= 2 && positions === 1;
  };

  beforeAll(async () => {
    served = await serveSandbox({ clock: { kind: 'fast', factor: 20 } });
    stateDir = join(folder.path, 'state');
    config = join(folder.path, 'hoard.yaml');
    const secret = join(folder.path, 'secret');
    writeFileSync(secret, served.sandbox.secret, { mode: 0o600 });
    writeFileSync(
      config,
      `mode: sandbox
account: hoard
venue: { base_url: '${served.server.baseUrl}', ws_url: '${served.server.wsUrl}', api_secret_file: '${secret}' }
state_dir: '${stateDir}'
on_stop: flatten
stop_timeout: 1s
log_level: warn
strategies:
  - { id: a, use: '${HOARDER}', symbols: [BTCUSDT], isolation: none, size: { notional: '100' }, params: { rungs: 2 } }
risk: { preset: standard, symbols_allow: [BTCUSDT], max_position_notional: { usdt: '2000', pct_equity: 90 } }
`,
    );
  });
  afterAll(async () => {
    await served.close();
    folder.remove();
  });

  it('SIGTERM without more time names what is open, and the next run continues', async () => {
    const outage = [{ on: 'POST /fapi/v2/futures/order', fault: '500_before' }];
    const first = await run([], {
      ...pressing(async () => {
        if (!(await hoards())) return false;
        await requestJson('faults', 'PUT', outage);
        return true;
      }, ['SIGTERM']),
    });
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toMatch(/still open: position 0\.00\d BTCUSDT/);
    expect(first.stderr).toContain('--drop-flatten withdraws it');
    expect(JSON.parse(first.stdout)).toMatchObject({
      flatten: { end: 'unfinished', positions: [{ symbol: 'BTCUSDT' }] },
    });
    await requestJson('faults', 'DELETE');
    // With the kill switch set only the flatten continues.
    const kill = join(stateDir, 'KILL');
    const planResult = await runSluice(['plan', config]);
    expect(planResult.stdout).toMatch(/^flatten: .*a start finishes it before it trades/m);
    writeFileSync(kill, '');
    const plan = await runSluice(['plan', config]);
    expect(plan.exitCode).toBe(0);
    expect(plan.stdout).not.toMatch(/refuses|first candle/);
    expect(plan.stdout).toMatch(
      /KILL exists\. A start .*, finishes the flatten of the journal \(a stop under the policy flatten\), places nothing else and exits with code 4/,
    );
    const json = JSON.parse((await runSluice(['plan', config, '--json'])).stdout);
    expect(json).toMatchObject({ kill: { file: kill, refused: false, exit_code: 4 } });
    const second = await run([], {});
    expect(second.exitCode).toBe(4);
    expect(second.stderr).toContain('KILL exists. No order and no position of ours is open.');
    expect(JSON.parse(second.stdout)).toMatchObject({ flatten: { end: 'flat' } });
    expect(await atVenue()).toEqual({ orders: 0, positions: 0 });
    rmSync(kill);
  }, 90_000);

  it('one Ctrl-C flattens and ends with exit code 0', async () => {
    const cliResult = await run([], pressing(hoards, ['SIGINT']));
    expect(cliResult.exitCode).toBe(0);
    expect(JSON.parse(cliResult.stdout)).toMatchObject({
      flatten: { end: 'flat', positions: [], orders: [] },
      reconciled: true,
    });
    expect(await atVenue()).toEqual({ orders: 0, positions: 0 });
    const replay = await runSluice(['replay', stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 90_000);

  it('a second Ctrl-C ends with the open names, and --drop-flatten withdraws the rest', async () => {
    const outage = [{ on: 'POST /fapi/v2/futures/order', fault: '500_before' }];
    const left = await run(
      [],
      pressing(async () => {
        if (!(await hoards())) return false;
        await requestJson('faults', 'PUT', outage);
        return true;
      }, ['SIGINT', 'SIGINT']),
    );
    expect(left.exitCode).toBe(1);
    expect(left.stdout).toBe('');
    expect(left.stderr).toContain('still open: position');
    await requestJson('faults', 'DELETE');
    const kill = join(stateDir, 'KILL');
    writeFileSync(kill, '');
    const dropped = await run(['--drop-flatten'], {});
    expect(dropped.exitCode).toBe(4);
    expect(dropped.stderr).toContain('still open: 1 position');
    expect(await atVenue()).toEqual({ orders: 0, positions: 1 });
    expect(existsSync(kill)).toBe(true);
  }, 90_000);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
