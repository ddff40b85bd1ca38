import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

it('a stop under flatten says that kill level cancel holds the exits, and exits with code 1', async () => {
  const rig = await DaemonRig.open();
  try {
    const text = readFileSync(rig.config, 'utf8').replace('on_stop: keep', 'on_stop: flatten');
    writeFileSync(rig.config, text);
    const daemon = rig.start();
    await rig.trading();
    daemon.signalKill();
    await rig.statusWhen(({ kill, orders }) => kill !== null && orders.length === 0);
    const { positions } = rig.atVenue();
    daemon.press('SIGTERM');
    const { exitCode, stdout, stderr } = await daemon.ended;
    expect(exitCode, stderr).toBe(1);
    expect(stderr).toContain(
      'the kill level cancel refuses exits too; sluice kill --level flatten',
    );
    expect(rig.atVenue()).toEqual({ orders: 0, positions });
    expect(JSON.parse(stdout)).toMatchObject({
      flatten: null,
      flatten_refused: expect.stringContaining('the kill level cancel refuses exits too') as string,
      unknown: 0,
    });

    const again = await rig.start().ended;
    expect(again.exitCode, again.stderr).toBe(4);
    expect(JSON.parse(again.stdout)).toMatchObject({
      flatten_refused: expect.stringContaining('sluice kill --level flatten') as string,
    });
    expect(rig.atVenue()).toEqual({ orders: 0, positions });

    const closed = await rig.run('kill', '--level', 'flatten', '--json');
    expect(closed.exitCode, closed.stderr).toBe(0);
    expect(rig.atVenue()).toEqual({ orders: 0, positions: 0 });
    const resumed = await rig.run('resume');
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const plain = rig.start();
    await rig.trading();
    plain.press('SIGTERM');
    expect(JSON.parse((await plain.ended).stdout)).toMatchObject({ flatten_refused: null });
  } finally {
    await rig.close();
  }
}, 120_000);
