import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS } from '../../src/metrics/metric-table.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
/** A sample: its name, labels and value. */
const LINE = /^([a-z_0-9]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? ([0-9.e+-]+|NaN|[+-]Inf)$/;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the metrics of a running daemon', () => {
  let rig: DaemonRig;
  let daemon: RunningDaemon;
  let url: string;
  beforeAll(async () => {
    rig = await DaemonRig.open();
    const port = await freePort();
    url = `http://127.0.0.1:${port}/metrics`;
    const text = readFileSync(rig.config, 'utf8');
    writeFileSync(
      rig.config,
      `${text}metrics: { port: ${port} }\nnotify: { command: { run: [/bin/true] } }\n`,
    );
    daemon = rig.start();
    await rig.trading();
  }, 60_000);
  afterAll(async () => {
    daemon.press();
    await daemon.ended;
    await rig.close();
  }, 60_000);

  async function scrape(): Promise<ReadonlyMap<string, number>> {
    const text = await (await fetch(url)).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
        expect(name, line).not.toBe('');
        return [labels === '' ? name : `${name}{${labels}}`, Number(value)];
      }),
    );
  }

  it('are what the status says, in a text that every line of parses', async () => {
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const samples = await scrape();
    expect(samples.get('sluice_notices_total{level="page"}')).toBe(0);
    expect(samples.get('sluice_mode{mode="TRADING"}')).toBe(1);
    expect(samples.get('sluice_mode{mode="HALTED"}')).toBe(0);
    expect(samples.get('sluice_unknown_order_max_age_seconds')).toBeGreaterThanOrEqual(0);
    expect(samples.get('sluice_positions')).toBeGreaterThan(0);
    expect(samples.get('sluice_orders_placed_total')).toBeGreaterThan(0);
    expect(samples.get('sluice_equity{currency="USDT"}')).toBeGreaterThan(0);
    expect(
      samples.get('sluice_last_decided_candle_age_seconds{strategy="hoarder"}'),
    ).toBeGreaterThanOrEqual(0);
    expect(samples.get('sluice_requests_total{method="POST",status="200"}')).toBeGreaterThan(0);
    expect(samples.get('sluice_journal_sync_duration_seconds_count')).toBeGreaterThan(0);
    expect(
      [...samples.keys()].filter((key) => key.startsWith('sluice_limit_headroom_ratio')),
    ).not.toEqual([]);
    const client = new Set(
      [...samples.keys()].filter((key) => /[a-z2-7]{6}-[a-z2-7]{26}/.test(key)),
    );
    expect(client.size, 'no label names an order').toBe(0);
    const families = new Set(
      [...samples.keys()].map((key) => key.replace(/(?:_bucket|_sum|_count)?(?:\{.*)?$/, '')),
    );
    const never = METRICS.map(({ name }) => name).filter((name) => !families.has(name));
    // These have no sample while nothing of their kind has happened.
    const mayBeAbsent = [
      'sluice_refusals_total',
      'sluice_would_refuse_total',
      'sluice_restriction_active',
    ];
    expect(never.filter((name) => !mayBeAbsent.includes(name))).toEqual([]);
  });

  it.skipIf(!hasPromtool)('pass promtool check metrics (skipped without promtool)', async () => {
    const input = await (await fetch(url)).text();
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input });
    expect(status, `${stdout.toString()}${stderr.toString()}`).toBe(0);
  });

  it('are the only page, for reads only', async () => {
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('a configuration of metrics', () => {
  it('refuses an address that is not loopback, and a port in use', async () => {
    const rig = await DaemonRig.open();
    const text = readFileSync(rig.config, 'utf8');
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    try {
      writeFileSync(rig.config, `${text}metrics: { host: 0.0.0.0 }\n`);
      const remote = await runSluice(['run', '--config', rig.config]);
      expect(remote.exitCode).toBe(2);
      expect(remote.stderr).toContain('allow_remote: true permits it');
      writeFileSync(rig.config, `${text}metrics: { port: ${port} }\n`);
      const taken = await runSluice(['run', '--config', rig.config]);
      expect(taken.exitCode).toBe(1);
      expect(taken.stderr).toContain('in use by another program');
    } finally {
      await new Promise((resolve) => blocker.close(resolve));
      await rig.close();
    }
  }, 60_000);
});
