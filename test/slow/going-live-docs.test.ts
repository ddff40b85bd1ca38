import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
  ...new Set([...week.matchAll(/^ *npx sluice (.*?)(?: +# .*)?$/gm)].map(([, line = '']) => line)),
];
const isLive = (line: string): boolean => line.includes('live.yaml');
/** Commands that end by themselves here; the sandbox is that of the test. */
const tried = commands.filter((line) => !isLive(line) && !line.startsWith('sandbox '));

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

  /** A shipped configuration, with the addresses, secret and folders of this test. */
  function fileFor(name: string): string {
    const path = join(rig.stateDir, '..', `${name}.yaml`);
    const text = readFileSync(join('config', `${name}.yaml`), 'utf8')
      .replaceAll('127.0.0.1:8787', new URL(rig.served.server.baseUrl).host)
      .replaceAll('secrets/sandbox', rig.secret)
      .replace('instruments/standard.yaml', resolve('config/instruments/standard.yaml'))
      .replace(`state_dir: .sluice/${name}`, `state_dir: ${join(rig.stateDir, '..', name)}`);
    writeFileSync(path, text);
    return path;
  }

  it('has commands of each of its steps', () => {
    expect(commands[0]).toBe(
      'sandbox --port 8787 --secret sandbox-secret --clock fast:60 --quirks field',
    );
    expect(tried.map((line) => line.split(' ', 1)[0])).toEqual(
      'run replay run account account account probe'.split(' '),
    );
    expect(commands.filter(isLive)).toEqual([
      'doctor live.yaml --observe',
      'run --config live.yaml --observe',
      'doctor live.yaml',
      'run --config live.yaml',
    ]);
  });

  it.each(tried)(
    '%s',
    async (line) => {
      const args = `${line}${line.startsWith('run ') ? ' --duration 4s' : ''}`
        .replace('config/sandbox.yaml', fileFor('sandbox'))
        .replace('config/paper.yaml', fileFor('paper'))
        .replace('.sluice/sandbox', join(rig.stateDir, '..', 'sandbox'))
        .replace('https://api.example.com', rig.served.server.baseUrl)
        .replace('config/secrets/live', rig.secret)
        .replace('venue-profile.json', join(rig.stateDir, 'venue-profile.json'));
      const { exitCode, stderr } = await runSluice(args.split(' '), { scheduler: hurried });
      expect(exitCode, stderr).toBe(0);
    },
    240_000,
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
