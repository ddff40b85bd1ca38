import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scheduler } from '../../src/core/ports.js';
import { nodeScheduler } from '../../src/app/ports/node-scheduler.js';
import { createProgram, type Commands } from '../../src/app/cli-program.js';
import { AccountDesk } from '../harness/account-desk.js';
import { sluice } from '../harness/command-line.js';

/** Commands that a page tells its reader to run, in their order. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join('docs', page), 'utf8');
  return [...text.matchAll(/^ *npx sluice (.*)$/gm)].map(([, line = '']) => line.trim());
}

/** Listening for the idle close takes 45 s, which here nobody waits for. */
const hurried: Scheduler = {
  after: (delayMs, run) => nodeScheduler.after(delayMs === 45_000 ? 100 : delayMs, run),
};

describe('docs/account.md', () => {
  let desk: AccountDesk;
  let last: { readonly order_id: string; readonly client_order_id: string } | undefined;
  beforeAll(async () => {
    desk = await AccountDesk.open({
      limits: false,
      clock: { kind: 'fast', factor: 60 },
      risk: '{ preset: standard }',
    });
    await desk.say('account leverage set SOLUSDT 2 --yes');
  });
  afterAll(async () => {
    await desk.close();
  });

  const commands = commandsOf('account.md').filter((line) => !line.startsWith('sandbox'));

  it.each(commands)('%s', async (line) => {
    const { baseUrl, wsUrl } = desk.served.server;
    const args = line
      .replace('config/sandbox.yaml', desk.config)
      .replace('http://127.0.0.1:8787', baseUrl)
      .replace('ws://127.0.0.1:8787', wsUrl)
      .replace('config/secrets/sandbox', desk.secret)
      .replace('venue-profile.json', join(desk.stateDir, 'venue-profile.json'))
      .replace('ORDER_ID', last?.order_id ?? '')
      .replace('CLIENT_ID', last?.client_order_id ?? '')
      .split(' ');
    const spoken = await sluice(args, { scheduler: hurried });
    // The page's orders are all proved: a person's word on one of them is refused.
    const isRefused = line.includes('--never-landed');
    expect(spoken.exitCode, spoken.stderr).toBe(isRefused ? 4 : 0);
    if (isRefused) expect(spoken.stderr).toContain(last?.client_order_id);
    if (line.startsWith('order') && line.includes('--json')) {
      last = JSON.parse(spoken.stdout).order ?? last;
    }
  });

  it('has every command', () => {
    const told = new Set(commands.map((line) => line.split(' ').slice(0, 2).join(' ')));
    for (const command of ['place', 'cancel', 'amend', 'show'])
      expect(told).toContain(`order ${command}`);
    for (const list of ['funds', 'positions', 'orders', 'history', 'fees', 'transactions'])
      expect(told).toContain(`account ${list}`);
    for (const other of ['leverage', 'transfer', 'instruments'])
      expect(told).toContain(`account ${other}`);
  });
});

describe('docs/going-live.md', () => {
  it.each(commandsOf('going-live.md'))('%s is a command line', async (line) => {
    let parsed = false;
    const take = () => {
      parsed = true;
      return Promise.resolve(0);
    };
    const commands = new Proxy({} as Commands, { get: () => take });
    const silent = { stdout: () => undefined, stderr: () => undefined };
    await createProgram('1.0.0', false, commands, silent).parse(line.split(' '));
    expect(parsed).toBe(true);
  });

  it('says what this version does: live is refused', async () => {
    const run = await sluice(['run', '--config', 'config/live.example.yaml']);
    expect(run.exitCode).toBe(4);
  });
});
