import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { readJournal } from '../../src/live/plan/read-journal.js';
import type { StatusReport } from '../../src/live/status/status-report.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

const SYMBOL = 'BTCUSDT';
const positionIn = ({ positions }: StatusReport) =>
  positions.find(({ symbol }) => symbol === SYMBOL);
const isHeld = ({ restrictions }: StatusReport): boolean =>
  restrictions.some(({ control, symbol }) => control === 'R22' && symbol === SYMBOL);

/** A person's own order, as from the app of the venue. */
async function buyByHand({ served }: DaemonRig, quantity: number): Promise<void> {
  const reply = await fetch(`${served.server.baseUrl}/fapi/v2/futures/order?symbol=${SYMBOL}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-authentication': served.sandbox.secret,
    },
    body: JSON.stringify({
      trigger_type: 'MARKET',
      order_type: 'LONG',
      quantity,
      trade_currency: 'USDT',
    }),
  });
  expect(reply.ok, await reply.text()).toBe(true);
}

describe('the position of an external hand, while the daemon runs', () => {
  let rig: DaemonRig;
  let daemon: RunningDaemon;
  beforeAll(async () => {
    rig = await DaemonRig.open();
    daemon = rig.start();
    await rig.trading();
    await buyByHand(rig, 0.002);
    await rig.statusWhen(isHeld);
  }, 90_000);
  afterAll(async () => {
    daemon.press();
    await daemon.ended;
    await rig.close();
  }, 60_000);

  it('a wrong adoption changes nothing and says what to give', async () => {
    const none = await rig.run('resume', '--adopt');
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining('sluice resume BTCUSDT --adopt'),
    ]);
    const other = await rig.run('resume', 'XRPUSDT', '--adopt');
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('no configured strategy trades XRPUSDT'),
    ]);
    const ownership = await rig.run('strategy', 'adopt', 'hoarder');
    expect([ownership.exitCode, ownership.stderr]).toEqual([
      1,
      expect.stringMatching(
        /a start decides who owns what: stop the daemon .* sluice resume SYMBOL --adopt/,
      ),
    ]);
    expect(isHeld(await rig.status())).toBe(true);
  }, 60_000);

  it('is ours without a restart, and the journal holds it before the answer', async () => {
    const adopted = await rig.run('resume', SYMBOL, '--adopt', '--reason', 'opened by hand');
    expect(adopted.exitCode, adopted.stderr).toBe(0);
    const journal = (await readJournal(nodeFiles, rig.stateDir)) ?? [];
    expect(journal.filter((each) => each.type === 'command').map(({ command }) => command)).toEqual(
      expect.arrayContaining([
        { kind: 'adopt', what: SYMBOL },
        { kind: 'resume', symbol: SYMBOL, reason: 'opened by hand' },
      ]),
    );
    expect(adopted.stdout).toMatch(
      /the position of BTCUSDT \([0-9.]+\) is ours; .* trades to its target again/,
    );
    const status = await rig.statusWhen((each) => !isHeld(each) && each.mode === 'TRADING');
    const position = positionIn(status);
    expect(position?.own).toBe(position?.quantity);
  }, 60_000);

  it('stays ours over a restart, and the session replays', async () => {
    daemon.press();
    expect((await daemon.ended).exitCode).toBe(0);
    const before = positionIn(await rig.status());
    expect(before?.own).toBe(before?.quantity);
    daemon = rig.start();
    const status = await rig.statusWhen(({ running, mode }) => running && mode === 'TRADING');
    expect(isHeld(status)).toBe(false);
    const position = positionIn(status);
    expect(position?.own).toBe(position?.quantity);
    daemon.press();
    await daemon.ended;
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 120_000);

  it('without a daemon the next start adopts', async () => {
    const waiting = await rig.run('resume', SYMBOL, '--adopt');
    expect([waiting.exitCode, waiting.stderr]).toEqual([0, '']);
    expect(waiting.stdout).toBe('no daemon runs: the next start adopts the position of BTCUSDT\n');
    expect((await rig.status()).pending_commands).toEqual([
      'adopt the position of BTCUSDT',
      'resume BTCUSDT',
    ]);
  }, 60_000);
});
