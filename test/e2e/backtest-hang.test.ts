import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/rigs/cli-runner.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

interface Ended {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a process of its own; interrupts it once standard error contains `enough`. */
function backtest(code: string, args: readonly string[] = [], enough?: RegExp): Promise<Ended> {
  const file = join(folder.path, 'hangs.mjs');
  writeFileSync(file, code);
  const out = join(folder.path, 'run');
  const child = spawn(
    process.execPath,
    ['bin/sluice.mjs', 'backtest', '--strategy', file, '--out', out, ...args],
    { cwd: ROOT },
  );
  let [stdout, stderr, pressed] = ['', '', false];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    if (!pressed && enough?.test(stderr) === true) pressed = child.kill('SIGINT');
  });
  return new Promise((resolve) => {
    child.on('close', (exitCode, signal) => {
      resolve({ exitCode, signal, stdout, stderr });
    });
  });
}

const strategy = (loaded: string, made: string, called: string): string =>
  `import { defineStrategy, z } from 'sluice/strategy';
let turns = 0;
${loaded}
export default defineStrategy({
  name: 'hangs',
  params: z.object({}),
  create: () => {
    ${made}
    let seen = 0;
    return {
      onCandle() {
        seen += 1;
        ${called}
      },
    };
  },
});
`;

const LOOP = 'while (true) { turns += 1; }';
// Long enough that a busy machine loads the file, short beside the default.
const SHORT = ['--hook-timeout', '5s'];

const errorsOf = ({ stdout }: Ended): readonly unknown[] =>
  (JSON.parse(stdout) as { readonly errors: readonly unknown[] }).errors;

describe('a backtest of a strategy that does not return', () => {
  it('the backtest ends with exit code 1 and names the line and the candle', async () => {
    const code = strategy('', '', `if (seen > 5) ${LOOP}`);
    const ended = await backtest(code, [...SHORT, '--json']);
    expect(ended.exitCode).toBe(1);
    expect(errorsOf(ended)).toMatchObject([
      {
        strategy: 'hangs',
        message: 'its code for this candle did not return within 5 s',
        file: join(folder.path, 'hangs.mjs'),
        line: 13,
        candle: expect.stringMatching(/T\d\d:05:00\.000Z$/) as unknown,
        symbol: 'BTCUSDT',
      },
    ]);
    expect(ended.stderr).toMatch(/^sluice: the backtest was ended at candle 6 of 10080/m);
  }, 180_000);

  it.each([
    ['while its file is loaded', strategy(LOOP, '', ''), 'its file', 3],
    ['in create', strategy('', LOOP, ''), 'create', 8],
  ])(
    'the backtest is ended %s',
    async (_where, code, what, line) => {
      const ended = await backtest(code, [...SHORT, '--json']);
      expect(ended.exitCode).toBe(1);
      expect(errorsOf(ended)).toMatchObject([
        { message: `${what} did not return within 5 s`, line, candle: null },
      ]);
    },
    180_000,
  );

  it('a strategy that awaits for ever is ended', async () => {
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const ended = await backtest(strategy('', '', wait), SHORT);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/did not return within 5 s: it waits for something/);
  }, 180_000);

  it('Ctrl-C ends the backtest cleanly with exit code 1 and a summary of its progress', async () => {
    const loop = `writeSync(2, 'it loops'); ${LOOP}`;
    const code = strategy("import { writeSync } from 'node:fs';", '', loop);
    const ended = await backtest(code, [], /it loops/);
    expect(ended).toMatchObject({ exitCode: 1, signal: null });
    expect(ended.stderr).toMatch(/^sluice: SIGINT: the backtest was stopped at candle \d+/m);
    expect(ended.stdout).toBe('');
  }, 180_000);
});

describe('a backtest of a misbehaving strategy', () => {
  it('a strategy that ends its process is named', async () => {
    const ended = await backtest(strategy('', '', 'if (seen > 5) process.exit(0);'));
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/error: hangs: it ended the process with exit code 0/);
    expect(ended.stderr).not.toContain('Check the loop');
  }, 180_000);

  it('output of a strategy does not reach standard output', async () => {
    const code = strategy('', '', "if (seen === 1) console.log('looked');");
    const ended = await backtest(code, ['--json']);
    expect(ended.exitCode).toBe(0);
    expect(errorsOf(ended)).toEqual([]);
    expect(ended.stderr).toContain('looked');
  }, 180_000);
});
