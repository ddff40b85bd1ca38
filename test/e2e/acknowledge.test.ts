import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

let rig: DaemonRig;
let config: string;
beforeAll(async () => {
  rig = await DaemonRig.open();
  config = readFileSync(rig.config, 'utf8');
}, 60_000);
afterAll(async () => {
  await rig.close();
});

it('an acknowledgement by the command line names each raised alert once', async () => {
  writeFileSync(rig.config, `${config}notify: { command: { run: ['true'] } }\n`);
  const daemon = rig.start();
  await rig.trading();
  const none = await rig.run('acknowledge');
  expect([none.exitCode, none.stdout]).toEqual([0, 'no alert is raised that still repeats\n']);
  expect((await rig.run('kill', '--level', 'pause')).exitCode).toBe(0);
  let acknowledged: readonly string[] = [];
  // Alerts are computed once a second.
  for (let tries = 0; acknowledged.length === 0 && tries < 30; tries += 1) {
    const { exitCode, stdout, stderr } = await rig.run('acknowledge', '--json');
    expect(exitCode, stderr).toBe(0);
    ({ acknowledged } = JSON.parse(stdout) as { acknowledged: readonly string[] });
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(acknowledged).toEqual(['kill_switch']);
  expect((await rig.run('acknowledge')).stdout).toContain('no alert is raised');
  daemon.press();
  await daemon.ended;
  const stopped = await rig.run('acknowledge');
  expect([stopped.exitCode, stopped.stderr]).toEqual([1, expect.stringContaining('no daemon')]);
  expect((await rig.run('resume')).exitCode).toBe(0);
}, 90_000);

it('an acknowledgement to a bot that notifies nobody is refused', async () => {
  writeFileSync(rig.config, config);
  const daemon = rig.start();
  await rig.trading();
  const { exitCode, stderr } = await rig.run('acknowledge');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no notify: block')]);
  daemon.press();
  await daemon.ended;
}, 90_000);
