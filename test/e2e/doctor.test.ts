import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INTERLOCKS } from '../../src/live/interlocks/interlock-table.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox({ clock: { kind: 'fast', factor: 60 }, limits: false });
  writeFileSync(join(folder.path, 'secret'), 'sandbox-secret\n', { mode: 0o600 });
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

interface Report {
  readonly mode: string;
  readonly can_start: boolean;
  readonly interlocks: readonly {
    readonly id: string;
    readonly result: string;
    readonly found: string;
    readonly mend: string | null;
  }[];
}

function sandboxConfig(name: string, edit = (text: string) => text): string {
  const path = join(folder.path, `${name}.yaml`);
  const text = readFileSync('config/sandbox.yaml', 'utf8')
    .replace('http://127.0.0.1:8787', served.server.baseUrl)
    .replace('ws://127.0.0.1:8787', served.server.wsUrl)
    .replace('file: secrets/sandbox', `file: ${join(folder.path, 'secret')}`)
    .replace('.sluice/sandbox', join(folder.path, `state-${name}`));
  writeFileSync(path, edit(text));
  return path;
}

const liveConfig = (name: string, edit = (text: string) => text): string =>
  sandboxConfig(name, (text) =>
    edit(
      text
        .replace('mode: sandbox', 'mode: live')
        .replace(served.server.baseUrl, 'https://localhost')
        .replace(served.server.wsUrl, 'wss://localhost'),
    ),
  );

async function doctor(...args: readonly string[]) {
  const result = await runSluice(['doctor', ...args, '--json']);
  return { ...result, report: JSON.parse(result.stdout) as Report };
}

describe('sluice doctor', () => {
  it('a configuration on a running sandbox can start, and nothing is changed', async () => {
    const config = sandboxConfig('good');
    const { exitCode, report, stderr } = await doctor(config);
    expect(report.interlocks.filter(({ result }) => result !== 'ok')).toEqual([]);
    expect(report).toMatchObject({ mode: 'sandbox', can_start: true });
    expect(exitCode, stderr).toBe(0);
    expect(served.sandbox.exchange.allOrders()).toEqual([]);
    expect((await runSluice(['doctor', config])).stdout).toMatch(/mode: sandbox: can start\n$/);
  });

  it('a standing kill switch is a warning, with its mend', async () => {
    const config = sandboxConfig('killed');
    await runSluice(['run', '--config', config, '--duration', '1s']);
    writeFileSync(join(folder.path, 'state-killed', 'KILL'), 'pause\n');
    const { exitCode, stdout } = await runSluice(['doctor', config]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/warns {5}kill_switch +it is set to pause/);
    expect(stdout).toContain(`mend: look at what happened, then: sluice resume ${folder.path}`);
  });

  it('a live configuration lists every interlock of live, and run refuses by the same ones', async () => {
    const config = liveConfig('live');
    const { exitCode, report } = await doctor(config);
    expect(exitCode).toBe(4);
    expect(report).toMatchObject({ mode: 'live', can_start: false });
    expect(report.interlocks.map(({ id }) => id)).toEqual(
      INTERLOCKS.filter(({ modes }) => modes.includes('live')).map(({ id }) => id),
    );
    const failed = report.interlocks.filter(({ result }) => result === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['acknowledgement', 'public_host']),
    );
    const host = report.interlocks.find(({ id }) => id === 'public_host');
    expect(host?.found).toMatch(/localhost is .*a loopback address/);
    const unchecked = report.interlocks.filter(({ result }) => result === 'unchecked');
    expect(unchecked.map(({ id }) => id)).toContain('account_fingerprint');
    expect(unchecked[0]?.found).toBe('not asked, because public_host failed');

    const run = await runSluice(['run', '--config', config, '--json']);
    expect(run.exitCode).toBe(4);
    expect(run.stdout).toBe('');
    for (const { id, found, mend } of failed.filter(({ id: name }) => isHard(name)))
      expect(run.stderr).toContain(`  ${id}: ${found}\n    mend: ${mend ?? ''}`);
    expect(run.stderr).toContain(`sluice doctor ${config} checks all of them`);
  });

  it('--observe asks for no consent, and is refused for another mode', async () => {
    const { report, exitCode } = await doctor(liveConfig('seen'), '--observe');
    expect(exitCode).toBe(4);
    expect(report.mode).toBe('observe');
    expect(report.interlocks.map(({ id }) => id)).not.toContain('acknowledgement');
    const other = await runSluice(['run', '--config', sandboxConfig('other'), '--observe']);
    expect(other).toMatchObject({ exitCode: 2 });
    expect(other.stderr).toContain('--observe is for mode: live, and this is mode: sandbox');
  });

  it('an unknown mode is bad configuration, with the list of modes', async () => {
    const config = liveConfig('unknown', (text) => text.replace('mode: live', 'mode: lived'));
    for (const command of [
      ['doctor', config],
      ['run', '--config', config],
    ]) {
      const { exitCode, stderr } = await runSluice(command);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        'mode: expected one of sandbox, paper, observe, live, not "lived"; did you mean "live"?',
      );
    }
  });

  it('plain http to a host on the network is bad configuration', async () => {
    const config = liveConfig('plain', (text) => text.replace('https://', 'http://'));
    const { exitCode, stderr } = await runSluice(['doctor', config]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/venue\.base_url: .*without TLS only 127\.0\.0\.1/);
  });

  it('a secret that others can read refuses a live start with the command that mends it', async () => {
    const open = join(folder.path, 'open-secret');
    writeFileSync(open, 'open-secret\n', { mode: 0o644 });
    const config = liveConfig('open', (text) => text.replace(join(folder.path, 'secret'), open));
    const { exitCode, stderr } = await runSluice(['run', '--config', config]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`secret_custody: ${open} has mode 0644`);
    expect(stderr).toContain(`mend: chmod 600 ${open}`);
  });

  it('a state of another mode refuses the start', async () => {
    const first = sandboxConfig('shared');
    await runSluice(['run', '--config', first, '--duration', '1s']);
    const config = liveConfig('shared');
    const { stderr, exitCode } = await runSluice(['run', '--config', config]);
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/separate_state: .* was written in mode sandbox, and this is mode live/);
  });

  it('a venue that does not answer is a failure, not a success', async () => {
    const config = sandboxConfig('down', (text) =>
      text.replace(served.server.baseUrl, 'http://127.0.0.1:9'),
    );
    const { exitCode, report, stderr } = await doctor(config);
    expect(exitCode).toBe(4);
    expect(report.can_start).toBe(false);
    expect(stderr).toContain('nothing answers at http://127.0.0.1:9');
  });
});

const isHard = (id: string): boolean =>
  INTERLOCKS.some((each) => each.id === id && each.severity === 'hard');
