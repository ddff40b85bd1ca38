import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

describe('the health of a running daemon', () => {
  let rig: DaemonRig;
  let daemon: RunningDaemon;
  beforeAll(async () => {
    rig = await DaemonRig.open();
    daemon = rig.start();
    await rig.trading();
  }, 60_000);
  afterAll(async () => {
    await rig.close();
  });

  const health = (...args: readonly string[]) => runSluice(['health', rig.stateDir, ...args]);
  const until = async (holds: (health: { healthy: boolean; reason: string }) => boolean) => {
    let last = '';
    for (let tries = 0; tries < 200; tries += 1) {
      last = (await health('--json', '--max-late', '3s')).stdout;
      if (holds(JSON.parse(last) as { healthy: boolean; reason: string })) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the health never held: ${last}`);
  };

  it('is good while candles are decided, bad when they stop, and says that a stop was planned', async () => {
    const good = await health();
    expect(good, good.stdout).toMatchObject({ exitCode: 0, stderr: '' });
    expect(good.stdout).toMatch(/^healthy: process \d+; the oldest last candle is that of /);

    // The daemon lives and answers, but the streams carry nothing, and neither does REST.
    await rig.faults([
      { on: 'WS', fault: 'ws_silent' },
      { on: 'GET /fapi/v1/price/kline', fault: 'html_5xx' },
    ]);
    await until(({ healthy, reason }) => !healthy && reason.includes('waits for a candle'));
    expect((await rig.status()).running).toBe(true);

    daemon.press();
    await daemon.ended;
    const ended = await health();
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toBe('unhealthy: the daemon was stopped as planned\n');
  }, 90_000);

  it('a folder without a journal is refused', async () => {
    const nowhere = await runSluice(['health', `${rig.folder.path}/nowhere`]);
    expect(nowhere.exitCode).toBe(2);
    expect(nowhere.stderr).toContain('does not exist');
  });
});
