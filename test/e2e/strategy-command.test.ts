import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';
import type { StatusReport } from '../../src/live/status/status-report.js';

const stateOf = ({ strategies }: StatusReport, id: string): string | undefined =>
  strategies.find((each) => each.id === id)?.state;
const candleOf = ({ strategies }: StatusReport, id: string) =>
  strategies.find((each) => each.id === id)?.last_candle;
const quantityOf = ({ positions }: StatusReport, symbol: string): string | undefined =>
  positions.find((each) => each.symbol === symbol)?.own;
const holds = ({ positions }: StatusReport, symbol: string): boolean =>
  positions.some((each) => each.symbol === symbol && Number(each.own) !== 0);

const BUYS_ONCE = resolve('test/fixtures/buys-once.ts');

describe('a person who controls one strategy of a running daemon', () => {
  let rig: DaemonRig;
  let daemon: RunningDaemon;

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

  it('a pause refuses the entries of one strategy, and its exits and the other strategy go on', async () => {
    const paused = await rig.run('pause', '--strategy', 'flip', '--reason', 'too fast');
    expect(paused.exitCode, paused.stderr).toBe(0);
    expect(paused.stdout).toContain(
      'only exits of flip leave until `sluice resume --strategy flip`',
    );
    const flat = await rig.statusWhen((status) => !holds(status, 'ETHUSDT'));
    expect([stateOf(flat, 'flip'), stateOf(flat, 'hoarder'), flat.mode]).toEqual([
      'paused',
      'running',
      'TRADING',
    ]);
    expect(flat.strategies.find(({ id }) => id === 'flip')?.cause).toBe('too fast');
    await rig.statusWhen(({ strategies }) =>
      strategies.some(({ id, refused }) => id === 'flip' && refused > 0),
    );
    const resumed = await rig.run('resume', '--strategy', 'flip');
    expect(resumed.stdout).toContain('flip: the pause has ended; it is running');
    await rig.statusWhen((status) => holds(status, 'ETHUSDT'));
    expect((await rig.run('resume', '--strategy', 'flip')).stdout).toContain('it was not paused');
  }, 90_000);

  it('a stop cancels the entries, and says which position stays with which stop', async () => {
    const stopped = await rig.run('strategy', 'stop', 'hoarder', '--json');
    expect(stopped.exitCode, stopped.stderr).toBe(0);
    const report = JSON.parse(stopped.stdout) as StatusReport & {
      readonly left: readonly { readonly symbol: string; readonly own: string }[];
    };
    expect(report).toMatchObject({ done: true, entries: [], left: [{ symbol: 'BTCUSDT' }] });
    expect(stateOf(report, 'hoarder')).toBe('stopped');
    expect(report.orders.filter(({ strategy }) => strategy === 'hoarder')).toEqual([]);

    const again = await rig.run('strategy', 'stop', 'hoarder');
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/^hoarder was stopped already; `sluice strategy start hoarder`/);
    expect(again.stdout).toMatch(/BTCUSDT: position 0\.00\d+ stays, and no stop of it is known/);
  }, 60_000);

  it('a stop with --close closes the position of this strategy alone', async () => {
    const closed = await rig.run('strategy', 'stop', 'hoarder', '--close');
    expect(closed.exitCode, closed.stderr).toBe(0);
    expect(closed.stdout).toContain('no position of it is open');
    const status = await rig.status();
    expect(holds(status, 'BTCUSDT')).toBe(false);
    expect(stateOf(status, 'flip')).toBe('running');
  }, 60_000);

  it('a start brings the strategy back with its targets, and a second start changes nothing', async () => {
    const started = await rig.run('strategy', 'start', 'hoarder');
    expect([started.exitCode, started.stderr]).toEqual([0, '']);
    expect(started.stdout).toBe('hoarder is started; its state is running\n');
    expect((await rig.run('strategy', 'start', 'hoarder')).stdout).toMatch(/^hoarder runs already/);
    // A position that a person closed is not bought back before a person says so.
    expect((await rig.run('resume', 'BTCUSDT')).exitCode).toBe(0);
    await rig.statusWhen((status) => holds(status, 'BTCUSDT'));
  }, 60_000);

  it('a reload reads the parameters anew, and a faulty one leaves the old strategy running', async () => {
    const text = readFileSync(rig.config, 'utf8');
    writeFileSync(rig.config, text.replace('every: 2', 'every: 0.5'));
    const faulty = await rig.run('strategy', 'reload', 'flip');
    expect([faulty.exitCode, faulty.stderr]).toEqual([
      2,
      expect.stringMatching(/bot\.yaml:\d+:\d+ strategies\[1\]\.params\.every: /),
    ]);
    writeFileSync(rig.config, text.replace('flip-flop.ts', 'no-such-file.ts'));
    const missing = await rig.run('strategy', 'reload', 'flip');
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining('no-such-file.ts'),
    ]);
    const before = await rig.status();
    expect(stateOf(before, 'flip')).toBe('running');

    const [former = '', next = ''] = [
      'isolation: none, size: { notional',
      'isolation: none, protect: { stop_loss_pct: 3 }, size: { notional',
    ];
    writeFileSync(rig.config, text.replaceAll(former, next));
    const partly = await rig.run('strategy', 'reload', 'flip', '--json');
    expect(partly.exitCode, partly.stderr).toBe(0);
    expect(partly.stderr).toContain('warning: protect of flip differ');
    expect(JSON.parse(partly.stdout)).toMatchObject({ unapplied: ['protect'] });

    writeFileSync(rig.config, text.replace('every: 2', 'every: 3'));
    const reloaded = await rig.run('strategy', 'reload', 'flip', '--reason', 'slower');
    expect([reloaded.exitCode, reloaded.stderr]).toEqual([0, '']);
    expect(reloaded.stdout).toBe('flip is reloaded; its state is running\n');
    await rig.statusWhen(({ strategies }) =>
      strategies.some(
        ({ id, last_candle: at, intents }) => id === 'flip' && at !== null && intents > 0,
      ),
    );
  }, 60_000);

  it('a stop stands over a restart of the daemon, and the sessions replay', async () => {
    expect((await rig.run('strategy', 'stop', 'hoarder')).exitCode).toBe(0);
    daemon.press();
    expect((await daemon.ended).exitCode).toBe(0);
    const offline = await rig.run('status', '--json');
    expect(stateOf(JSON.parse(offline.stdout) as StatusReport, 'hoarder')).toBe('stopped');
    const waiting = await rig.run('strategy', 'stop', 'flip');
    expect(waiting.stdout).toContain('no daemon runs: the next start stops flip');
    expect((await rig.run('status')).stdout).toMatch(/^next start +stop strategy flip$/m);
    daemon = rig.start();
    const status = await rig.statusWhen(({ running, mode }) => running && mode === 'TRADING');
    expect([stateOf(status, 'hoarder'), stateOf(status, 'flip')]).toEqual(['stopped', 'stopped']);
    expect(status.pending_commands).toEqual([]);
    expect((await rig.run('strategy', 'start', 'flip')).exitCode).toBe(0);
    await rig.statusWhen(({ strategies }) =>
      strategies.some(({ id, intents }) => id === 'flip' && intents > 0),
    );
    daemon.press();
    expect((await daemon.ended).exitCode).toBe(0);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 90_000);

  it('a strategy that is reloaded or started again keeps the state of the step that ordered', async () => {
    const once = `  - { id: once, use: '${BUYS_ONCE}', symbols: [SOLUSDT], isolation: none, size: { notional: '100' } }\n`;
    const text = readFileSync(rig.config, 'utf8');
    writeFileSync(rig.config, text.replace('strategies:\n', `strategies:\n${once}`));
    daemon = rig.start();
    const bought = await rig.statusWhen((status) => holds(status, 'SOLUSDT'));
    const quantity = quantityOf(bought, 'SOLUSDT');
    for (const command of ['reload', 'stop', 'start', 'reload']) {
      const before = candleOf(await rig.status(), 'once');
      expect((await rig.run('strategy', command, 'once')).exitCode).toBe(0);
      if (command === 'stop') continue;
      const after = await rig.statusWhen(
        (status) => stateOf(status, 'once') === 'running' && candleOf(status, 'once') !== before,
      );
      expect(quantityOf(after, 'SOLUSDT')).toBe(quantity);
    }
    daemon.press();
    expect((await daemon.ended).exitCode).toBe(0);
    writeFileSync(rig.config, text);
  }, 90_000);

  it.each([
    { args: ['strategy', 'stop'], code: 2, text: "missing required argument 'id'" },
    {
      args: ['strategy', 'stop', 'nobody'],
      code: 2,
      text: 'no strategy nobody is configured: the ids are hoarder, flip',
    },
    { args: ['strategy', 'start', 'nobody'], code: 2, text: 'the ids are hoarder, flip' },
    { args: ['strategy', 'reload', 'flip'], code: 1, text: 'its next start reads the code' },
    { args: ['pause', '--strategy', 'nobody'], code: 2, text: 'the ids are hoarder, flip' },
    { args: ['resume', '--strategy', 'nobody'], code: 2, text: 'the ids are hoarder, flip' },
    { args: ['pause', '--reason', 'x'], code: 2, text: '--reason needs --strategy' },
  ])('$args is refused with what to do', async ({ args, code, text }) => {
    const refused = await rig.run(...args);
    expect([refused.exitCode, refused.stderr]).toEqual([code, expect.stringContaining(text)]);
  });

  it('a configuration of another account is refused, and nothing is decided', async () => {
    const other = join(rig.folder.path, 'other.yaml');
    writeFileSync(other, rig.configText('other'));
    const refused = await runSluice(['strategy', 'stop', 'flip', '--config', other]);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('account bot, not other');
  });
});
