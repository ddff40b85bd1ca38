import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scheduler } from '../../src/core/ports.js';
import { nodeScheduler } from '../../src/io/node/node-scheduler.js';
import { createProgram } from '../../src/cli/program.js';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';
import { runSluice } from '../support/rigs/cli-runner.js';

/** Commands that a page tells its reader to run, in their order. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join('docs', page), 'utf8');
  return [...text.matchAll(/^ *npx sluice (.*?)(?: +# .*)?$/gm)].map(([, line = '']) =>
    line.trim(),
  );
}

/** Listening for the idle close takes 45 s, which here nobody waits for. */
const hurried: Scheduler = {
  after: (delayMs, run) => nodeScheduler.after(delayMs === 45_000 ? 100 : delayMs, run),
};

describe('docs/account.md', () => {
  let rig: AccountCliRig;
  let last: { readonly order_id: string; readonly client_order_id: string } | undefined;
  beforeAll(async () => {
    rig = await AccountCliRig.open({
      limits: false,
      clock: { kind: 'fast', factor: 60 },
      risk: '{ preset: standard }',
    });
    await rig.run('account leverage set SOLUSDT 2 --yes');
  });
  afterAll(async () => {
    await rig.close();
  });

  const commands = commandsOf('account.md').filter((line) => !line.startsWith('sandbox'));

  it.each(commands)('%s', async (line) => {
    const { baseUrl, wsUrl } = rig.served.server;
    const args = line
      .replace('config/sandbox.yaml', rig.config)
      .replace('http://127.0.0.1:8787', baseUrl)
      .replace('ws://127.0.0.1:8787', wsUrl)
      .replace('config/secrets/sandbox', rig.secret)
      .replace('venue-profile.json', join(rig.stateDir, 'venue-profile.json'))
      .replace('ORDER_ID', last?.order_id ?? '')
      .replace('CLIENT_ID', last?.client_order_id ?? '')
      .split(' ');
    const cliResult = await runSluice(args, { scheduler: hurried });
    // The page's orders are all proved: a person's word on one of them is refused.
    const isRefused = line.includes('--never-landed');
    expect(cliResult.exitCode, cliResult.stderr).toBe(isRefused ? 4 : 0);
    if (isRefused) expect(cliResult.stderr).toContain(last?.client_order_id);
    if (line.startsWith('order') && line.includes('--json')) {
      last = JSON.parse(cliResult.stdout).order ?? last;
    }
  });

  it('has every command', () => {
    const documentedCommands = new Set(
      commands.map((line) => line.split(' ').slice(0, 2).join(' ')),
    );
    for (const command of ['place', 'cancel', 'amend', 'show'])
      expect(documentedCommands).toContain(`order ${command}`);
    for (const list of ['funds', 'positions', 'orders', 'history', 'fees', 'transactions'])
      expect(documentedCommands).toContain(`account ${list}`);
    for (const other of ['leverage', 'transfer', 'instruments'])
      expect(documentedCommands).toContain(`account ${other}`);
  });
});

describe('docs/going-live.md', () => {
  it.each(commandsOf('going-live.md'))('%s is a command line', async (line) => {
    let parsed = false;
    const execute = () => {
      parsed = true;
      return Promise.resolve(0);
    };
    const silent = { stdout: () => undefined, stderr: () => undefined };
    await createProgram('1.0.0', false, execute, silent).parse(line.split(' '));
    expect(parsed).toBe(true);
  });

  it('says what this version does: live is refused', async () => {
    const run = await runSluice(['run', '--config', 'config/live.example.yaml']);
    expect(run.exitCode).toBe(4);
  });
});
