import { join } from 'node:path';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runSluice, type CliResult } from '../support/rigs/cli-runner.js';
import { FaultyFront } from '../support/rigs/faulty-front.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

describe('an outage of the venue at the commands of an operator', () => {
  let rig: DaemonRig;
  let front: FaultyFront;
  let daemon: RunningDaemon;
  beforeAll(async () => {
    rig = await DaemonRig.open();
    front = new FaultyFront(rig.served.server.baseUrl);
    const url = await front.listen();
    const text = readFileSync(rig.config, 'utf8').replace(rig.served.server.baseUrl, url);
    writeFileSync(rig.config, text);
    daemon = rig.start();
    await rig.trading();
  }, 90_000);
  afterAll(async () => {
    front.outage = 'none';
    daemon.press();
    await daemon.ended;
    front.close();
    await rig.close();
  }, 120_000);
  afterEach(() => {
    front.outage = 'none';
  });

  /** @throws when the command has no end within a minute */
  const inTime = async (...args: readonly string[]): Promise<CliResult> => {
    const late = new Promise<never>((_resolve, reject) => {
      setTimeout(() => {
        reject(new Error(`sluice ${args.join(' ')} has not ended`));
      }, 60_000).unref();
    });
    return Promise.race([runSluice(args), late]);
  };
  const on = (...args: readonly string[]): Promise<CliResult> =>
    inTime(...args, '--config', rig.config);

  const killFile = (): string => join(rig.stateDir, 'KILL');

  it.each(['cut', 'page', 'hang'] as const)(
    'what reads the venue fails in time, and what reads the journal says so (%s)',
    async (outage) => {
      front.outage = outage;
      const order = ['--symbol', 'BTCUSDT', '--side', 'buy', '--quantity', '0.001'];
      const [failed, doctor, profit, limits, backup] = await Promise.all([
        Promise.all([
          on('account', 'funds', '--json'),
          on('account', 'positions'),
          on('pnl', '--json'),
          on('export', 'ledger'),
          inTime('risk', 'test', rig.config),
          inTime('risk', 'what-if', rig.config, ...order, '--json'),
        ]),
        inTime('doctor', rig.config, '--json'),
        on('status', '--profit'),
        inTime('risk', 'show', rig.config),
        on('backup', '--out', join(rig.folder.path, `${outage}.tar`)),
      ]);
      for (const { exitCode, stdout, stderr } of failed) {
        expect([exitCode, stdout], stderr).toEqual([1, '']);
        expect(stderr).toMatch(/cannot be read/);
      }
      expect(doctor.exitCode).toBe(4);
      expect(JSON.parse(doctor.stdout)).toMatchObject({ can_start: false });
      expect(profit.exitCode, profit.stderr).toBe(0);
      expect(profit.stdout).toMatch(/Profit by strategy, USDT, from the journal \(newest record/);
      expect(profit.stderr).toContain('the profit is that of the journal');
      expect([limits.exitCode, backup.exitCode], backup.stderr).toEqual([0, 0]);
    },
    90_000,
  );

  it('what is commanded while the venue hangs is not called done, and is done afterwards', async () => {
    front.outage = 'hang';
    const tightened = await on('risk', 'tighten', 'max_order_notional_usdt=400');
    const paused = await on('pause', '--strategy', 'flip', '--reason', 'outage');
    expect([tightened.exitCode, paused.exitCode]).toEqual([0, 0]);
    const reloaded = await on('strategy', 'reload', 'flip');
    expect([reloaded.exitCode, reloaded.stdout]).toEqual([1, '']);
    expect(reloaded.stderr).toContain('flip goes on as before');

    const stop = ['strategy', 'stop', 'hoarder', '--close', '--timeout', '2s'];
    const stopped = await on(...stop, '--json');
    expect(stopped.exitCode).toBe(1);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      done: false,
      left: [{ symbol: 'BTCUSDT' }],
    });
    const text = await on(...stop);
    expect(text.exitCode).toBe(1);
    expect(text.stdout).toMatch(/BTCUSDT: position .* is open/);
    expect(text.stdout).toContain('the daemon goes on until it is');
    const killed = await on('kill', '--level', 'flatten', '--timeout', '2s', '--json');
    expect(killed.exitCode).toBe(1);
    expect(JSON.parse(killed.stdout)).toMatchObject({ done: false, level: 'flatten' });
    const resumed = await on('resume');
    expect(resumed.exitCode, resumed.stderr).toBe(4);
    expect(resumed.stderr).toMatch(/the kill switch is not ended: a flatten is not complete/);
    expect(existsSync(killFile())).toBe(true);

    front.outage = 'none';
    await rig.statusWhen(
      ({ positions, orders, unknown }) =>
        positions.every(({ own }) => Number(own) === 0) && orders.length === 0 && unknown === 0,
    );
    expect(rig.atVenue()).toEqual({ orders: 0, positions: 0 });
    const again = await on('kill', '--level', 'flatten', '--json');
    expect(again.exitCode, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ done: true });

    // All is flat, and yet a kill proves nothing while the venue cannot be read.
    front.outage = 'hang';
    const unread = await on('kill', '--level', 'flatten', '--timeout', '5s', '--json');
    expect([unread.exitCode, JSON.parse(unread.stdout)]).toMatchObject([1, { done: false }]);
    expect(unread.stderr).toContain('it was not read since the command');
    front.outage = 'none';
    const read = await on('kill', '--level', 'flatten');
    expect(read.exitCode, read.stderr).toBe(0);
    const ended = await on('resume');
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(existsSync(killFile())).toBe(false);
    const status = await rig.status();
    expect(status.strategies.map(({ id, state }) => [id, state])).toEqual([
      ['hoarder', 'stopped'],
      ['flip', 'paused'],
    ]);
    expect(status.tightened.map(({ key }) => key)).toEqual(['max_order_notional_usdt']);
  }, 120_000);

  it('without a daemon a kill under an outage ends in time and names the next start', async () => {
    daemon.press();
    await daemon.ended;
    front.outage = 'hang';
    const { exitCode, stdout, stderr } = await on('kill', '--level', 'flatten', '--timeout', '2s');
    expect(exitCode, stderr).toBe(1);
    expect(stderr).toContain('what is open at the venue is not known');
    expect(stdout).toMatch(/not everything is done: .*KILL makes the next start continue/);

    front.outage = 'none';
    const done = await on('kill', '--level', 'flatten', '--json');
    expect(done.exitCode, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ done: true, reconciled: true });
  }, 90_000);
});
