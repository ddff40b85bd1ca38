import { cpSync, existsSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig, type RunningDaemon } from '../support/rigs/daemon-rig.js';

describe('a command of the operator on a folder with several bots', () => {
  let rig: DaemonRig;
  let other: DaemonRig;
  let daemon: RunningDaemon;
  let second: RunningDaemon;
  const inRoot = (name: string): string => join(rig.folder.path, name);
  /** Later than any run of this test. */
  const changeAt = (name: string, day: string): void => {
    utimesSync(inRoot(`${name}/journal.log`), new Date(day), new Date(day));
  };
  const command = (...args: readonly string[]) => runSluice([...args, rig.folder.path]);

  beforeAll(async () => {
    rig = await DaemonRig.open('alpha');
    other = await DaemonRig.open();
    daemon = rig.start();
    await rig.trading();
    // The remains of a later run, whose name comes later too.
    const isFile = (path: string): boolean => !path.endsWith('.sock');
    cpSync(rig.stateDir, inRoot('zeta'), { recursive: true, filter: isFile });
    changeAt('zeta', '2100-01-01');
  }, 60_000);
  afterAll(async () => {
    await Promise.all([rig.close(), other.close()]);
  }, 60_000);

  it('refuses while two daemons run, names them, and changes nothing', async () => {
    symlinkSync(other.stateDir, inRoot('beta'));
    second = other.start();
    await other.trading();
    const { exitCode, stdout, stderr } = await command('kill', '--level', 'flatten');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/2 daemons run: \S+\/alpha, \S+\/beta\. Name the state folder of one/);
    for (const name of ['alpha', 'beta', 'zeta'])
      expect(existsSync(inRoot(`${name}/KILL`)), name).toBe(false);
    second.press();
    await second.ended;
  }, 60_000);

  it('reaches the only daemon that runs, whatever name and age its folder has', async () => {
    const { exitCode, stdout, stderr } = await command('kill', '--level', 'flatten');
    expect(stderr).toMatch(/in \S+\/alpha \(the only daemon that runs of 3 state folders\)/);
    expect(stdout).toMatch(/the kill switch of \S+\/alpha is set to flatten/);
    expect(exitCode).toBe(0);
    expect(rig.atVenue()).toEqual({ orders: 0, positions: 0 });
    expect(existsSync(inRoot('zeta/KILL'))).toBe(false);
    daemon.press();
    await daemon.ended;
  }, 60_000);

  it('takes the folder whose journal changed last while no daemon runs', async () => {
    const newest = async (): Promise<unknown> =>
      (JSON.parse((await command('status', '--json')).stdout) as { state_dir: string }).state_dir;
    expect(await newest()).toBe(inRoot('zeta'));
    changeAt('alpha', '2100-01-02');
    expect(await newest()).toBe(inRoot('alpha'));
  });
});
