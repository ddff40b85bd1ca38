import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

const RESTORED = 'restored from a backup';

describe('a backup of a bot that trades', () => {
  let rig: DaemonRig;
  beforeAll(async () => {
    rig = await DaemonRig.open();
  }, 60_000);
  afterAll(async () => {
    await rig.close();
  });
  const archive = (name: string) => join(rig.folder.path, `${name}.tar.gz`);

  it('is taken while it runs, and a start from it reconciles with the venue and says so', async () => {
    const daemon = rig.start();
    const trading = await rig.trading();
    const live = await rig.run('backup', '--out', archive('live'), '--json');
    expect(live.exitCode, live.stderr).toBe(0);
    expect(JSON.parse(live.stdout)).toMatchObject({ account: 'bot' });
    const copy = await runSluice([
      'restore',
      archive('live'),
      '--into',
      join(rig.folder.path, 'copy'),
    ]);
    expect(copy.exitCode, copy.stderr).toBe(0);
    const { stdout } = await runSluice(['status', join(rig.folder.path, 'copy'), '--json']);
    const offline = JSON.parse(stdout) as typeof trading;
    expect(offline.positions.some(({ symbol }) => symbol === 'BTCUSDT')).toBe(true);
    daemon.press();
    await daemon.ended;

    const last = await rig.run('backup', '--out', archive('last'));
    expect(last.stdout).toContain('of account bot');
    expect((await rig.run('backup', '--out', archive('last'))).exitCode).toBe(2);
    expect((await rig.run('restore', archive('last'))).exitCode, 'the folder is not empty').toBe(4);
    renameSync(rig.stateDir, `${rig.stateDir}.lost`);
    const other = join(rig.folder.path, 'other.yaml');
    writeFileSync(other, rig.configText('another'));
    const refused = await runSluice(['restore', archive('last'), '--config', other]);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('belongs to account bot, not another');

    const restored = await rig.run('restore', archive('last'));
    expect(restored.exitCode, restored.stderr).toBe(0);
    const next = await rig.start('--duration', '3s').ended;
    expect(next.exitCode, next.stderr).toBe(0);
    expect(next.stderr).toContain(RESTORED);
    expect(JSON.parse(next.stdout)).toMatchObject({ reconciled: true, unknown: 0 });
    const after = await rig.start('--duration', '2s').ended;
    expect(after.stderr, 'said once').not.toContain(RESTORED);
  }, 120_000);

  it('that misses orders of ours pages, and stops the next start before it places anything', async () => {
    const [notices, script] = ['notices.jsonl', 'notify.sh'].map((name) =>
      join(rig.folder.path, name),
    ) as [string, string];
    writeFileSync(script, `#!/bin/sh\ncat >> '${notices}'\n`, { mode: 0o755 });
    appendFileSync(rig.config, `notify: { command: { run: ['${script}'] } }\n`);
    renameSync(rig.stateDir, `${rig.stateDir}.newer`);
    expect((await rig.run('restore', archive('live'))).exitCode).toBe(0);
    const orders = rig.served.sandbox.exchange.allOrders().length;
    const { exitCode, stderr } = await rig.start('--duration', '3s').ended;
    expect(stderr).toContain(RESTORED);
    expect([exitCode, rig.served.sandbox.exchange.allOrders().length], stderr).toEqual([1, orders]);
    expect(readFileSync(notices, 'utf8')).toMatch(/"level":"page".*"kind":"halted"/);
  }, 60_000);

  it('of a damaged file is refused, and leaves no folder', async () => {
    const bytes = readFileSync(archive('last'));
    writeFileSync(archive('cut'), bytes.subarray(0, bytes.length / 2));
    const into = join(rig.folder.path, 'cut');
    const cut = await runSluice(['restore', archive('cut'), '--into', into]);
    expect(cut.exitCode).toBe(2);
    expect(cut.stderr).toContain('no whole backup');
    expect((await runSluice(['restore', archive('none'), '--into', into])).exitCode).toBe(2);
    expect((await runSluice(['restore', archive('last')])).exitCode).toBe(2);
  });
});
