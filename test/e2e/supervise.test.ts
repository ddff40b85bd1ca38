import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { IncidentLine } from '../../src/live/supervisor/incident-file.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

const ROOT = new URL('../../', import.meta.url).pathname;

beforeAll(() => {
  // The compiled program runs as processes.
  execFileSync('node', ['scripts/prepare.mjs', '--dev'], { cwd: ROOT, stdio: 'ignore' });
}, 120_000);

/** The compiled program as a process. */
class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(...args: readonly string[]) {
    this.child = spawn('node', ['bin/sluice.mjs', ...args], { cwd: ROOT });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    started.add(this);
  }

  get lines(): readonly IncidentLine[] {
    const texts = this.stdout.split('\n').filter((text) => text.startsWith('{'));
    return texts.map((text) => JSON.parse(text) as IncidentLine);
  }

  kinds(kind: IncidentLine['kind']): readonly IncidentLine[] {
    return this.lines.filter((line) => line.kind === kind);
  }
}

const started = new Set<Running>();
const rigs = new Set<DaemonRig>();
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  started.clear();
});
afterAll(async () => {
  for (const rig of rigs) await rig.close();
});

async function openRig(): Promise<DaemonRig> {
  const rig = await DaemonRig.open();
  rigs.add(rig);
  writeFileSync(
    rig.config,
    rig
      .configText('bot')
      .replace('params: { rungs: 2 }', 'protect: { stop_loss_pct: 20 }, params: { rungs: 2 }'),
  );
  return rig;
}

const supervise = (rig: DaemonRig): Running =>
  new Running('supervise', '--config', rig.config, '--after', '5s', '--json');

/** A server that answers and counts, as the address of a dead man's switch does. */
async function countRequests() {
  let count = 0;
  const server = createServer((_, response) => {
    count += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/ping`,
    get count() {
      return count;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Entries and stops at the exchange. */
function atVenue({ served }: DaemonRig) {
  const { exchange } = served.sandbox;
  const open = exchange.openOrders('USDT');
  const positions = exchange.positions('USDT');
  return {
    entries: open.filter(({ role, reduceOnly }) => role === 'trade' && !reduceOnly).length,
    stops: open.filter(({ role }) => role === 'stop-loss').length,
    positions: positions.length,
  };
}

describe('the supervisor of a daemon', () => {
  it('a hung daemon loses its entries, keeps its stops, is missed, and reconciles when it wakes', async () => {
    const rig = await openRig();
    const deadMan = await countRequests();
    appendFileSync(
      rig.config,
      `notify: { dead_man: { url: '${deadMan.url}', every: 10s, allow_private: true } }\n`,
    );
    const daemon = new Running('run', '--config', rig.config, '--json');
    await rig.trading();
    const supervisor = supervise(rig);
    await vi.waitFor(() => {
      expect(atVenue(rig).stops).toBeGreaterThan(0);
    }, 10_000);
    // It sends nothing while the daemon lives, also over several times of --after.
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(supervisor.stdout).toBe('');
    const before = atVenue(rig);
    expect(before.entries).toBeGreaterThan(0);

    daemon.child.kill('SIGSTOP');
    await vi.waitFor(() => {
      expect(supervisor.stderr).toContain('every entry of the silent daemon has ended');
    }, 40_000);
    const during = atVenue(rig);
    // A stopped process sends no request: the service behind the dead man's switch raises the alarm.
    const pings = deadMan.count;
    expect(pings).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    expect(deadMan.count).toBe(pings);
    expect(during.entries).toBe(0);
    expect(during.stops).toBeGreaterThan(0);
    expect(during.positions).toBeGreaterThan(0);
    expect(supervisor.kinds('silent')).toHaveLength(1);
    expect(supervisor.kinds('cancel').length).toBeGreaterThan(0);

    daemon.child.kill('SIGCONT');
    await vi.waitFor(() => {
      expect(supervisor.kinds('over')).toHaveLength(1);
      expect(daemon.stderr).toContain('the supervisor canceled');
    }, 20_000);
    const cancels = supervisor.kinds('cancel').length;
    await vi.waitFor(() => {
      expect(deadMan.count).toBeGreaterThan(pings);
    }, 30_000);
    await rig.statusWhen(
      ({ running, reconciled, unknown }) => running && reconciled === true && unknown === 0,
    );
    daemon.child.kill('SIGINT');
    expect(await daemon.ended, daemon.stderr).toBe(0);
    const summary: unknown = JSON.parse(daemon.stdout.trim().split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ reconciled: true, unknown: 0 });
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });

    // The planned stop with `on_stop: keep` is no reason to act.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect(supervisor.kinds('cancel')).toHaveLength(cancels);
    expect(supervisor.kinds('silent')).toHaveLength(1);
    supervisor.child.kill('SIGTERM');
    expect(await supervisor.ended).toBe(0);
    deadMan.close();
  }, 180_000);

  it('a killed daemon loses its entries, and the next start says so and reconciles', async () => {
    const rig = await openRig();
    const daemon = new Running('run', '--config', rig.config, '--json');
    await rig.trading();
    const supervisor = supervise(rig);
    daemon.child.kill('SIGKILL');
    await daemon.ended;
    const journal = readFileSync(join(rig.stateDir, 'journal.log'));
    await vi.waitFor(() => {
      expect(supervisor.stderr).toContain('every entry of the silent daemon has ended');
    }, 40_000);
    expect(atVenue(rig).entries).toBe(0);
    expect(readFileSync(join(rig.stateDir, 'journal.log')).equals(journal)).toBe(true);
    supervisor.child.kill('SIGTERM');
    await supervisor.ended;

    const next = rig.start('--duration', '3s');
    const { exitCode, stderr, stdout } = await next.ended;
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('the supervisor canceled');
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ reconciled: true });
  }, 120_000);

  it('in mode live the supervisor connects to no private address, and says so', async () => {
    const rig = await openRig();
    const daemon = new Running('run', '--config', rig.config, '--json');
    await rig.trading();
    const live = join(rig.folder.path, 'live.yaml');
    const config = readFileSync(rig.config, 'utf8')
      .replace('mode: sandbox', 'mode: live')
      .replace('preset: standard,', 'preset: standard, symbols_allow: [BTCUSDT, ETHUSDT],');
    writeFileSync(live, config);
    const supervisor = new Running('supervise', '--config', live, '--after', '5s', '--json');
    daemon.child.kill('SIGKILL');
    await daemon.ended;
    const { entries } = atVenue(rig);
    await vi.waitFor(() => {
      expect(supervisor.stderr).toContain('the address 127.0.0.1 is private');
    }, 40_000);
    expect(atVenue(rig).entries).toBe(entries);
    supervisor.child.kill('SIGTERM');
    await supervisor.ended;
  }, 120_000);

  it('a second supervisor, a venue without orders and a missing option are refused', async () => {
    const rig = await openRig();
    const first = supervise(rig);
    await vi.waitFor(() => {
      expect(existsSync(join(rig.stateDir, 'supervisor', 'lock'))).toBe(true);
    }, 20_000);
    const second = await runSluice(['supervise', '--config', rig.config]);
    expect(second.exitCode).toBe(3);
    expect(second.stderr).toContain('Stop it first');
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);

    const embedded = await runSluice(['supervise', '--config', 'config/demo.yaml']);
    expect(embedded.exitCode).toBe(2);
    expect(embedded.stderr).toContain('nothing to supervise');
    expect((await runSluice(['supervise'])).exitCode).toBe(2);
    const short = await runSluice(['supervise', '--config', rig.config, '--after', '1s']);
    expect(short.exitCode).toBe(2);
    expect(short.stderr).toContain('at least 5s');
  }, 60_000);

  it('the journal of another account is never touched', async () => {
    const rig = await openRig();
    const daemon = new Running('run', '--config', rig.config, '--json');
    await rig.trading();
    const canceled = (): number =>
      rig.served.sandbox.exchange.allOrders().filter(({ status }) => status === 'canceled').length;
    const before = canceled();
    const other = join(rig.folder.path, 'other.yaml');
    writeFileSync(other, rig.configText('another'));
    const supervisor = new Running('supervise', '--config', other, '--after', '5s', '--json');
    expect(await supervisor.ended, supervisor.stderr).toBe(4);
    expect(supervisor.stderr).toContain('another account');
    // The daemon may place entries meanwhile; a supervisor could only cancel them.
    expect(canceled()).toBe(before);
    expect(daemon.child.exitCode).toBeNull();
  }, 60_000);
});
