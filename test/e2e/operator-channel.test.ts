import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONTROL_IDS } from '../../src/risk/control-id.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

/** Writes texts to the socket and returns everything that comes back until it is closed or quiet. */
function talk(path: string, ...texts: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = createConnection(path);
    socket.setTimeout(1_500, () => socket.destroy());
    socket.on('data', (data) => (received += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(received);
    });
    for (const text of texts) socket.write(text);
  });
}

describe('the operator of a running daemon', () => {
  let rig: DaemonRig;
  let daemon: RunningDaemon;
  const socket = () => join(rig.stateDir, 'operator.sock');
  const killFile = () => join(rig.stateDir, 'KILL');

  beforeAll(async () => {
    rig = await DaemonRig.open();
    daemon = rig.start();
    await rig.trading();
  }, 60_000);
  afterAll(async () => {
    daemon.press();
    await daemon.ended;
    await rig.close();
  }, 60_000);

  it('sees modes, positions with stops, orders, ages of data, strategies and limits', async () => {
    const status = await rig.trading();
    expect(status).toMatchObject({ running: true, account: 'bot', kill: null });
    const held = status.positions.find(({ symbol }) => symbol === 'BTCUSDT');
    expect(held).toMatchObject({ currency: 'USDT' });
    expect(Number(held?.own)).toBeGreaterThan(0);
    const resting = status.orders.find(({ strategy }) => strategy === 'hoarder');
    expect(resting).toMatchObject({ side: 'buy', type: 'limit' });
    for (const age of [status.ages_ms?.positions, status.ages_ms?.orders, status.ages_ms?.feed])
      expect(age).toBeLessThan(30_000);
    expect(status.strategies.map(({ id, state }) => [id, state])).toEqual([
      ['hoarder', 'running'],
      ['flip', 'running'],
    ]);
    expect(status.strategies[0]?.last_candle_age_ms).toBeGreaterThanOrEqual(0);
    const limit = status.limits.find((each) => each.control === 'R12' && each.symbol === 'BTCUSDT');
    expect(Number(limit?.headroom)).toBeCloseTo(Number(limit?.limit) - Number(limit?.used), 1);

    const text = await runSluice(['status', rig.stateDir]);
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toMatch(/^mode +TRADING$/m);
    expect(text.stdout).toContain('Limits, the tightest first');
    const { stdout: all } = await runSluice(['status', '--all', rig.stateDir]);
    for (const key of ['max_position_notional.usdt', 'max_gross_exposure_pct', 'error_breaker'])
      expect(all).toContain(key);
    expect(all).toContain('Controls without a number');
    expect([...new Set(status.limits.map(({ control }) => control))]).toEqual(CONTROL_IDS);
  });

  it('only the owner may use the socket, two clients are served at once, and a watch ends with Ctrl-C', async () => {
    expect(statSync(socket()).mode & 0o777).toBe(0o600);
    let press: () => void = () => undefined;
    let lines = 0;
    const watching = runSluice(['status', '--watch', '--json', rig.stateDir], {
      onSignal: (listener) => {
        press = () => {
          listener('SIGINT');
        };
        return () => undefined;
      },
      stdout: (text) => void (lines += text.split('\n').length - 1),
    });
    const other = await rig.status();
    expect(other.running).toBe(true);
    await vi.waitFor(
      () => {
        expect(lines).toBeGreaterThanOrEqual(2);
      },
      { timeout: 25_000, interval: 100 },
    );
    press();
    expect((await watching).exitCode).toBe(0);
  });

  it('garbage, floods and wrong requests get an error and change nothing', async () => {
    const before = await rig.status();
    const silent = createConnection(socket());
    silent.on('error', () => undefined);
    expect(await talk(socket(), 'not json\n')).toContain('"code":"bad-json"');
    expect(await talk(socket(), 'x'.repeat(1_000_000))).toContain('"code":"too-long"');
    expect(await talk(socket(), '{"v":1,"command":"status"}\n'.repeat(1_000))).toContain(
      '"code":"busy"',
    );
    expect(await talk(socket(), '{"v":2,"id":7,"command":"status"}\n')).toMatch(
      /"id":7,"ok":false,"error":\{"code":"bad-version"/,
    );
    expect(await talk(socket(), '{"v":1,"id":8,"command":"buy"}\n')).toContain('unknown-command');
    expect(await talk(socket(), '{"v":1,"id":9,"command":"kill","level":"all"}\n')).toContain(
      '"code":"bad-request"',
    );
    await Promise.all(Array.from({ length: 40 }, () => talk(socket(), '\0\xff\n{')));
    const after = await rig.status();
    silent.destroy();
    expect(after).toMatchObject({ running: true, kill: null, mode: 'TRADING', pid: before.pid });
    expect(existsSync(killFile())).toBe(false);
  }, 30_000);

  it('a configuration of another account is refused, and nothing is written', async () => {
    const other = join(rig.folder.path, 'other.yaml');
    writeFileSync(other, rig.configText('other'));
    const refused = await runSluice(['kill', '--level', 'flatten', '--config', other]);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('this daemon runs account bot, not other');
    expect(existsSync(killFile())).toBe(false);
  });

  it('a pause stops entries while exits go on, and ends at its time or with a resume', async () => {
    const paused = await rig.run('kill', '--level', 'pause', '--json');
    expect(paused.exitCode, paused.stderr).toBe(0);
    expect(JSON.parse(paused.stdout)).toMatchObject({ level: 'pause', done: true });
    expect(readFileSync(killFile(), 'utf8')).toBe('pause\n');
    // The strategy that turns round gets its exit, and no new entry.
    const flat = await rig.statusWhen(({ positions }) =>
      positions.every(({ symbol }) => symbol !== 'ETHUSDT'),
    );
    expect(flat).toMatchObject({ mode: 'REDUCE_ONLY', kill: { level: 'pause', until: null } });
    const timed = await rig.run('pause', '--until', '20s', '--json');
    expect(timed.exitCode, timed.stderr).toBe(0);
    expect(readFileSync(killFile(), 'utf8')).toMatch(/^pause until 2025-05-05T/);
    await rig.statusWhen(({ kill, mode }) => kill === null && mode === 'TRADING');
    expect(existsSync(killFile())).toBe(false);
    await rig.statusWhen(({ positions }) => positions.some(({ symbol }) => symbol === 'ETHUSDT'));
  }, 60_000);

  it('the signal cancels every order, and a level in the file is obeyed within seconds', async () => {
    daemon.signalKill();
    const canceled = await rig.statusWhen(
      ({ kill, orders }) => kill !== null && orders.length === 0,
    );
    expect(canceled).toMatchObject({ mode: 'CANCEL_ONLY', kill: { level: 'cancel' } });
    expect(rig.atVenue().orders).toBe(0);
    expect(rig.atVenue().positions).toBeGreaterThan(0);
    writeFileSync(killFile(), 'flatten\n');
    await rig.statusWhen(({ flatten }) => flatten?.end === 'flat');
    expect(rig.atVenue()).toEqual({ orders: 0, positions: 0 });
    const weaker = await rig.run('kill', '--level', 'pause');
    expect(weaker.stderr).toContain('set to flatten already, which is stronger');
    expect(readFileSync(killFile(), 'utf8')).toBe('flatten\n');
  }, 60_000);

  it('a resume trades again, and the whole session replays', async () => {
    const resumed = await runSluice(['resume', rig.stateDir]);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(existsSync(killFile())).toBe(false);
    await rig.statusWhen(({ mode, positions }) => mode === 'TRADING' && positions.length > 0);
    daemon.press();
    const ended = await daemon.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(existsSync(socket())).toBe(false);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 60_000);
});

describe('the operator of a bot whose daemon is stopped', () => {
  let rig: DaemonRig;
  beforeAll(async () => {
    // Too long for the path of a socket: the daemon listens in a private folder.
    rig = await DaemonRig.open('a-state-folder-'.padEnd(110, 'x'));
  });
  afterAll(async () => {
    await rig.close();
  });

  it('a kill names what it cannot prove, the next one ends flat, and the start stays killed', async () => {
    const daemon = rig.start();
    await rig.trading();
    daemon.press();
    expect((await daemon.ended).exitCode).toBe(0);
    const left = await rig.status();
    expect(left).toMatchObject({ running: false, mode: 'STOPPED', account: 'bot', unknown: 0 });
    expect(left.positions.length).toBeGreaterThan(0);
    expect((await runSluice(['status', rig.stateDir])).stdout).toMatch(/^daemon +not running/m);

    await rig.faults([{ on: 'POST /fapi/v2/futures/order', fault: '500_before' }]);
    const failed = await runSluice([
      'kill',
      rig.stateDir,
      '--level',
      'flatten',
      '--timeout',
      '5s',
      '--json',
    ]);
    expect(failed.exitCode, failed.stderr).toBe(1);
    expect(failed.stderr).toMatch(/still open: position 0\.00\d BTCUSDT/);
    expect(JSON.parse(failed.stdout)).toMatchObject({ done: false, level: 'flatten' });
    await rig.faults([]);

    const killed = await runSluice(['kill', rig.stateDir, '--level', 'flatten', '--json']);
    expect(killed.exitCode, killed.stderr).toBe(0);
    expect(JSON.parse(killed.stdout)).toMatchObject({ done: true, running: false, unknown: 0 });
    expect(rig.atVenue()).toEqual({ orders: 0, positions: 0 });

    const again = await rig.start().ended;
    expect(again.exitCode).toBe(4);
    expect(again.stderr).toContain('the kill switch is set');
    expect(rig.atVenue()).toEqual({ orders: 0, positions: 0 });

    expect((await rig.run('resume')).stdout).toContain('the next start trades');
    expect((await rig.run('resume')).stderr).toContain('the kill switch is off');
    const next = rig.start();
    await rig.statusWhen(({ mode, positions }) => mode === 'TRADING' && positions.length > 0);
    next.press();
    await next.ended;
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 120_000);

  it('a start under a pause runs, and only exits leave', async () => {
    expect((await rig.run('kill', '--level', 'pause')).exitCode).toBe(0);
    const plan = await runSluice(['plan', rig.config, '--json']);
    expect(JSON.parse(plan.stdout).kill).toMatchObject({ level: 'pause', exit_code: null });
    const daemon = rig.start();
    const status = await rig.statusWhen(
      ({ running, strategies }) => running && strategies.some(({ last_candle: at }) => at !== null),
    );
    expect(status).toMatchObject({ mode: 'REDUCE_ONLY', kill: { level: 'pause' } });
    expect((await rig.run('resume')).exitCode).toBe(0);
    await rig.statusWhen(({ mode }) => mode === 'TRADING');
    daemon.press();
    expect((await daemon.ended).exitCode).toBe(0);
  }, 90_000);

  it.each([
    { args: ['kill'], code: 2, text: '--level' },
    { args: ['kill', '/nowhere', '--level', 'pause'], code: 2, text: '/nowhere does not exist' },
    { args: ['status', '/nowhere'], code: 2, text: '/nowhere does not exist' },
    { args: ['kill', '--level', 'all'], code: 2, text: 'one of pause, cancel, flatten' },
    { args: ['status', '.', '--config', 'x.yaml'], code: 2, text: 'not both' },
    { args: ['resume', '/a', '/b'], code: 2, text: 'at most one state folder' },
    { args: ['pause', '--until', 'soon'], code: 2, text: 'a UTC time such as' },
  ])('$args is refused with what to do', async ({ args, code, text }) => {
    const refused = await runSluice(args);
    expect(refused.exitCode).toBe(code);
    expect(refused.stderr).toContain(text);
  });

  it('a resume of a symbol without a daemon waits for the next start, and another symbol is refused', async () => {
    const waiting = await rig.run('resume', 'BTCUSDT', '--reason', 'checked');
    expect([waiting.exitCode, waiting.stderr]).toEqual([0, '']);
    expect(waiting.stdout).toBe('no daemon runs: the next start resumes BTCUSDT\n');
    expect((await rig.status()).pending_commands).toEqual(['resume BTCUSDT']);
    const other = await rig.run('resume', 'XRPUSDT');
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('the symbols are BTCUSDT, ETHUSDT'),
    ]);
  });
});
