import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/command-io.js';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { applyQuirksToConfig } from '../support/builders/quirks.js';
import { serveSandbox } from '../support/rigs/served-sandbox.js';

const PROGRAM = resolve('bin/sluice.mjs');
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

/** A terminal whose Ctrl-C the test presses. */
function keyboard() {
  const listeners = new Set<Parameters<Io['onSignal']>[0]>();
  return {
    onSignal: (listener: Parameters<Io['onSignal']>[0]) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press: () => {
      for (const listener of listeners) listener('SIGINT');
    },
  };
}

/** Presses when the run has printed a text. */
function pressAt(marker: string, keys: ReturnType<typeof keyboard>, times = 1): Partial<Io> {
  let pressed = false;
  return {
    onSignal: keys.onSignal,
    stderr: (text) => {
      if (pressed || !text.includes(marker)) return;
      pressed = true;
      for (let count = 0; count < times; count += 1) setTimeout(keys.press, 20 * (count + 1));
    },
  };
}

function demoIn(name: string): { readonly config: string; readonly stateDir: string } {
  const stateDir = join(folder.path, name);
  const config = join(folder.path, `${name}.yaml`);
  const demo = readFileSync('config/demo.yaml', 'utf8');
  writeFileSync(config, applyQuirksToConfig(demo).replace('.sluice/demo', stateDir));
  return { config, stateDir };
}

describe('Ctrl-C', () => {
  it('one Ctrl-C ends a run with its summary, proved', async () => {
    const { config } = demoIn('once');
    const run = await runSluice(
      ['run', '--config', config, '--json'],
      pressAt('TRADING', keyboard()),
    );
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ reconciled: true, unknown: 0 });
  });

  it('a second Ctrl-C ends at once, and the record replays', async () => {
    const { config, stateDir } = demoIn('twice');
    const keys = keyboard();
    const run = await runSluice(
      ['run', '--config', config, '--json'],
      pressAt('position ', keys, 2),
    );
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toBe('');
    const [session = ''] = readdirSync(stateDir);
    const replay = await runSluice(['replay', join(stateDir, session), '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  });

  it('a signal that arrives twice at once is one: the run flattens and ends with its summary', async () => {
    const { config } = demoIn('repeated');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replace(/^on_stop: .*$/m, '').concat('on_stop: flatten\n'));
    const child = spawn(process.execPath, [PROGRAM, 'run', '--config', config, '--json']);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      const isFirst = !stderr.includes('position ');
      stderr += chunk.toString();
      if (!isFirst || !stderr.includes('position ')) return;
      child.kill('SIGTERM');
      child.kill('SIGTERM');
    });
    const exitCode = await new Promise((done) => child.on('close', done));
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toContain('left at once');
    expect(JSON.parse(stdout)).toMatchObject({ positions: [], unknown: 0 });
  }, 120_000);

  it('a Ctrl-C before trading ends without waiting', async () => {
    const served = await serveSandbox();
    try {
      const { baseUrl, wsUrl } = served.server;
      const body = JSON.stringify([{ on: 'GET /futures/positions', fault: 'html_5xx' }]);
      const headers = { 'content-type': 'application/json' };
      await fetch(`${baseUrl}/sandbox/faults`, { method: 'PUT', headers, body });
      const secret = join(folder.path, 'secret');
      const config = join(folder.path, 'unbegun.yaml');
      writeFileSync(secret, served.sandbox.secret, { mode: 0o600 });
      writeFileSync(
        config,
        `mode: sandbox
account: unbegun
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${secret}' }
state_dir: '${join(folder.path, 'unbegun')}'
strategies:
  - { id: a, use: sma-cross, symbols: [BTCUSDT], size: { notional: '100' } }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`,
      );
      let stderrText = '';
      const keys = keyboard();
      const press = pressAt('market data is up', keys);
      const run = await runSluice(['run', '--config', config, '--json'], {
        ...press,
        stderr: (text) => {
          stderrText += text;
          press.stderr?.(text);
        },
      });
      expect(run.exitCode).toBe(0);
      expect(stderrText).toContain('stopped before it began to trade');
    } finally {
      await served.close();
    }
  });
});
