import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusReport } from '../../src/live/status/status-report.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

interface JudgedOrder {
  readonly text: string;
  readonly notes: readonly string[];
}

const KEY = 'max_order_notional_usdt';
const tradingNow = ({ running, mode }: StatusReport): boolean => running && mode === 'TRADING';

describe('a person tightens limits of a bot', () => {
  let rig: DaemonRig;
  let daemon: RunningDaemon;
  beforeAll(async () => {
    rig = await DaemonRig.open();
    daemon = rig.start();
    await rig.trading();
  }, 60_000);
  afterAll(() => rig.close());
  const restart = async (): Promise<StatusReport> => {
    daemon.press();
    await daemon.ended;
    daemon = rig.start();
    return rig.statusWhen(tradingNow);
  };
  const limitOf = async (): Promise<unknown> => {
    const shown = await runSluice(['risk', 'show', rig.config, '--json']);
    const { limits } = JSON.parse(shown.stdout) as { limits: { key: string }[] };
    return limits.find(({ key }) => key === KEY);
  };

  const whatIf = async (): Promise<JudgedOrder> => {
    const order = ['--symbol', 'BTCUSDT', '--side', 'buy', '--quantity', '0.002'];
    const given = ['--offline', '--equity', '10000', '--last-price', '60000'];
    const result = await runSluice(['risk', 'what-if', rig.config, ...order, ...given, '--json']);
    return JSON.parse(result.stdout) as JudgedOrder;
  };

  it('the running bot has the tighter limit at once, and shows it', async () => {
    expect(await whatIf()).toMatchObject({ allowed: true, tightened: [] });
    const result = await rig.run('risk', 'tighten', `${KEY}=50`, '--reason', 'thin books');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stdout).toBe(`${KEY} is 50 USDT (configured: 500 USDT)\n`);
    const status = await rig.status();
    expect(status.tightened).toEqual([
      { key: KEY, unit: 'USDT', from: '500', to: '50', reason: 'thin books' },
    ]);
    expect(status.limits.find(({ key }) => key === KEY)).toMatchObject({ limit: '50.00' });
    expect((await rig.run('status')).stdout).toContain(`${KEY} 50 USDT instead of 500 USDT`);
    expect(await limitOf()).toMatchObject({ value: '50', origin: 'tightened from 500 USDT' });
    const refused = await rig.statusWhen(({ strategies }) =>
      strategies.some((strategy) => strategy.refused > 0),
    );
    expect(refused.mode).toBe('TRADING');
    const again = await rig.run('risk', 'tighten', `${KEY}=50`);
    expect(again.stdout).toBe('nothing changes: each limit is as tight already\n');
  }, 60_000);

  it('what-if and test judge by the tightened limit, and say so', async () => {
    const note = `${KEY} is 50 USDT, tightened from 500 USDT (thin books)`;
    const judged = await whatIf();
    expect(judged).toMatchObject({
      allowed: false,
      tightened: [{ key: KEY, from: '500', to: '50', reason: 'thin books' }],
    });
    expect(judged.text).toBe('R01: order notional 120 is above 50 USDT (max_order_notional_usdt)');
    expect(judged.notes).toContain(note);
    const tested = await runSluice(['risk', 'test', rig.config]);
    expect(tested.exitCode, tested.stderr).toBe(4);
    expect(tested.stdout).toContain(note);
    expect(tested.stdout).toMatch(/hoarder buy BTCUSDT: R01 refuses: .* is above 50 USDT/);
  }, 60_000);

  it.each([
    [
      'a looser limit',
      [`${KEY}=60`],
      4,
      /from 50 USDT to 60 USDT allows more: .* sluice risk accept/,
    ],
    ['a looser limit beside a tighter one', ['max_leverage=2', `${KEY}=60`], 4, /allows more/],
    ['an unknown key', ['max_order=60'], 2, /max_order/],
    ['a wrong value', ['max_leverage=many'], 2, /max_leverage: expected a plain decimal/],
    ['no value', ['max_leverage'], 2, /KEY=VALUE/],
  ] as const)('%s is refused whole', async (_what, words, exitCode, text) => {
    const result = await rig.run('risk', 'tighten', ...words);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stderr).toMatch(text);
    expect((await rig.status()).tightened).toHaveLength(1);
  });

  it('the limit stands over a restart, until a person accepts the configuration', async () => {
    expect((await restart()).tightened).toMatchObject([{ key: KEY, to: '50' }]);
    const accepted = await runSluice(['risk', 'accept', rig.config, '--yes', '--json']);
    expect(accepted.exitCode, accepted.stderr).toBe(0);
    expect(JSON.parse(accepted.stdout)).toMatchObject({
      accepted: true,
      loosened: [`${KEY} from 50 USDT to 500 USDT`],
    });
    expect((await rig.status()).tightened, 'only a restart loosens').toHaveLength(1);
    expect((await restart()).tightened).toEqual([]);
    expect(await limitOf()).toMatchObject({ value: '500' });
  }, 90_000);

  it('without a daemon the next start tightens, and a tighter configuration takes over', async () => {
    daemon.press();
    await daemon.ended;
    const result = await rig.run('risk', 'tighten', `${KEY}=150`, '--json');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      running: false,
      changes: [{ key: KEY, from: '500', to: '150' }],
    });
    const looser = await rig.run('risk', 'tighten', `${KEY}=160`);
    expect(looser.exitCode).toBe(4);
    expect((await rig.status()).pending_commands).toEqual([`tighten ${KEY}=150`]);
    expect(await whatIf()).toMatchObject({ allowed: true, tightened: [{ key: KEY, to: '150' }] });
    daemon = rig.start();
    expect((await rig.statusWhen(tradingNow)).tightened).toMatchObject([{ key: KEY, to: '150' }]);

    const text = readFileSync(rig.config, 'utf8');
    writeFileSync(rig.config, text.replace('standard,', `standard, ${KEY}: '120',`));
    const status = await restart();
    expect(status.tightened).toEqual([]);
    expect(status.limits.find(({ key }) => key === KEY)).toMatchObject({ limit: '120.00' });
    daemon.press();
    await daemon.ended;
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 90_000);

  it('the leverage of a symbol is set by the tightened limit', async () => {
    expect((await rig.run('risk', 'tighten', 'max_leverage=2')).exitCode).toBe(0);
    const set = await rig.run('account', 'leverage', 'set', 'SOLUSDT', '2.5', '--yes');
    expect(set.exitCode, set.stdout).toBe(4);
    expect(set.stderr).toContain('leverage 2.5 is above risk.max_leverage 2 (R15)');
  }, 60_000);
});
