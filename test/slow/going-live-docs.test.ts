import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scheduler } from '../../src/core/ports.js';
import { nodeScheduler } from '../../src/io/node/node-scheduler.js';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';
import { runSluice } from '../support/rigs/cli-runner.js';

/** Listening for the idle close takes 45 s, which here nobody waits for. */
const hurried: Scheduler = {
  after: (delayMs, run) => nodeScheduler.after(delayMs === 45_000 ? 100 : delayMs, run),
};
const page = readFileSync(join('docs', 'going-live.md'), 'utf8');
const week = page.slice(page.indexOf('## A week'), page.indexOf('## Observe'));
const commands = [
  ...new Set([...week.matchAll(/^ *npx sluice (.*)$/gm)].map(([, line = '']) => line)),
];
const isLive = (line: string): boolean => line.includes('live.yaml');

describe('the week of docs/going-live.md', () => {
  let rig: AccountCliRig;
  let live: string;
  beforeAll(async () => {
    rig = await AccountCliRig.open({ limits: false, clock: { kind: 'fast', factor: 60 } });
    live = join(rig.stateDir, '..', 'live.yaml');
    // As step 5 has it: the example without its acknowledgement.
    const example = readFileSync('config/live.example.yaml', 'utf8')
      .replace(/^live: .*\n/m, '')
      .replace('secrets/api-secret', rig.secret)
      .replace('/var/lib/sluice/main', join(rig.stateDir, '..', 'live-state'));
    writeFileSync(live, example);
  });
  afterAll(async () => {
    await rig.close();
  });

  it('has commands of each of its steps', () => {
    expect(commands.filter((line) => !isLive(line)).length).toBeGreaterThanOrEqual(4);
    expect(commands.filter(isLive)).toEqual([
      'doctor live.yaml --observe',
      'run --config live.yaml --observe',
      'doctor live.yaml',
      'run --config live.yaml',
    ]);
  });

  it.each(commands.filter((line) => !isLive(line)))(
    '%s',
    async (line) => {
      const args = line
        .replace('https://api.example.com', rig.served.server.baseUrl)
        .replace('config/secrets/live', rig.secret)
        .replace('venue-profile.json', join(rig.stateDir, 'venue-profile.json'));
      const { exitCode, stderr } = await runSluice(args.split(' '), { scheduler: hurried });
      expect(exitCode, stderr).toBe(0);
    },
    60_000,
  );

  it('without the flag --observe, the file of step 5 is refused by its missing acknowledgement', async () => {
    const refused = await runSluice(['run', '--config', live]);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('acknowledgement');
    const observed = await runSluice(['doctor', live, '--observe', '--json']);
    const { mode, interlocks } = JSON.parse(observed.stdout) as {
      mode: string;
      interlocks: readonly { id: string; result: string }[];
    };
    expect(mode).toBe('observe');
    expect(interlocks.map(({ id }) => id)).not.toContain('acknowledgement');
  }, 60_000);
});
