import { spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/rigs/cli-runner.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));

/** A hook's body, on the lines from 4 on. */
const strategy = (body: string, params = ''): string => `
import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({ name: 'bad', params: z.object({ ${params} }), create: () => ({ onCandle(context) {
${body}
} }) });
`;

interface Checked {
  readonly exitCode: number | null;
  readonly clean: boolean;
  readonly types: string;
  readonly findings: readonly { place: string; message: string; hint?: string }[];
}

async function check(name: string, text: string, ...words: readonly string[]): Promise<Checked> {
  writeFileSync(join(folder.path, name), text);
  const bin = join(ROOT, 'bin/sluice.mjs');
  const child = spawn(process.execPath, [bin, 'strategy', 'check', name, '--json', ...words], {
    cwd: folder.path,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  expect(stdout, stderr).not.toBe('');
  return { exitCode, ...(JSON.parse(stdout) as Omit<Checked, 'exitCode'>) };
}

describe('sluice strategy check', () => {
  it('finds nothing wrong with a sound strategy, types included', async () => {
    const text = strategy('context.target(context.candle.close > 50_000 ? 1 : 0);');
    const { exitCode, findings, types } = await check('sound.ts', text);
    expect(findings).toEqual([]);
    expect(types).toMatch(/^checked with TypeScript \d/);
    expect(exitCode).toBe(0);
  }, 120_000);

  it('finds a type error, at its line and column', async () => {
    const text = strategy('const text: string = context.time;\nvoid text;');
    const { exitCode, findings } = await check('types.ts', text);
    expect(findings).toMatchObject([
      { place: 'types.ts:4:7', message: "Type 'number' is not assignable to type 'string'." },
    ]);
    expect(exitCode).toBe(1);
  }, 120_000);

  it('ends a strategy that never returns, and names the line', async () => {
    const text = strategy('let count = 0;\nwhile (context.time > 0)\n  count += 1;');
    const { exitCode, findings } = await check('hangs.mjs', text, '--hang', '4s');
    expect(findings).toHaveLength(1);
    expect(findings[0]?.place).toMatch(/^hangs\.mjs:[56]$/);
    expect(findings[0]?.message).toMatch(/^it does not return/);
    expect(exitCode).toBe(1);
  }, 120_000);

  it('ends one that never finishes to load', async () => {
    const { findings } = await check('loads.mjs', '\nfor (;;) {\n  void 0;\n}\n', '--hang', '4s');
    expect(findings[0]?.place).toMatch(/^loads\.mjs:[234]$/);
  }, 120_000);

  it('survives one that ends the process', async () => {
    const { exitCode, findings } = await check('exits.mjs', strategy('process.exit(0);'));
    expect(findings[0]).toMatchObject({
      place: 'exits.mjs',
      message: expect.stringMatching(/exit/),
    });
    expect(exitCode).toBe(1);
  }, 120_000);

  it('finds memory that grows', async () => {
    const text = strategy('all.push(context.candle.close);\ncontext.target(1);').replace(
      'export default',
      'const all = [];\nexport default',
    );
    const { findings } = await check('grows.mjs', text);
    expect(findings).toMatchObject([
      { message: expect.stringMatching(/^its memory grows by about/) },
    ]);
  }, 120_000);

  it('finds chance and the clock, with their lines', async () => {
    const text = strategy(
      'context.target(Math.random() > 2 ? 1 : 0);\nvoid Date.now();\nvoid new Date();',
    );
    const { findings } = await check('ambient.mjs', text);
    expect(findings.map(({ place, message }) => [place, message.replace(/ \(.*/, '')])).toEqual([
      ['ambient.mjs:4', 'Math.random is used in a strategy'],
      ['ambient.mjs:5', 'Date.now is used in a strategy'],
      ['ambient.mjs:6', 'new Date() is used in a strategy'],
    ]);
  }, 120_000);

  it('finds a parameter without a default, and takes it from the command line', async () => {
    const text = strategy('context.target(0);', '\n  level: z.number()\n');
    const { findings } = await check('required.mjs', text);
    expect(findings).toMatchObject([
      { place: 'required.mjs:4', message: expect.stringMatching(/level: is missing/) },
    ]);
    expect((await check('required.mjs', text, '--param', 'level=3')).exitCode).toBe(0);
  }, 120_000);

  it('tells a file that does not load by file, line and column', async () => {
    const { exitCode, findings } = await check(
      'syntax.ts',
      'export default {\n  a: 1\n  b: 2,\n};\n',
    );
    expect(findings[0]?.place).toBe('syntax.ts:3:3');
    expect(exitCode).toBe(1);
  }, 120_000);
});
