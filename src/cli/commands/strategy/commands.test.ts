import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../../../../test/support/rigs/cli-runner.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});
const own = join(folder.path, 'strategies');

describe('sluice strategy new', () => {
  it.each([
    ['my-trend', []],
    ['my-flow', ['--stream']],
  ])('new writes %s and its test, under its name', async (name, flags) => {
    const { exitCode, stdout } = await runSluice(['strategy', 'new', name, ...flags, '--dir', own]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`npx sluice strategy check ${join(own, `${name}.ts`)}`);
    const text = readFileSync(join(own, `${name}.ts`), 'utf8');
    expect(text).toContain(`name: '${name}'`);
    expect(text.includes('intents:')).toBe(flags.length > 0);
    expect(readFileSync(join(own, `${name}.test.ts`), 'utf8')).toContain(`'./${name}.js'`);
  });

  it('new overwrites nothing', async () => {
    const { exitCode, stderr } = await runSluice(['strategy', 'new', 'my-trend', '--dir', own]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/my-trend\.ts exists already: choose another name/);
  });

  it.each(['My-Trend', '1st', '../evil', 'a b', ''])('new refuses the name "%s"', async (name) => {
    const { exitCode, stderr } = await runSluice(['strategy', 'new', name, '--dir', own]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/cannot name a strategy/);
  });
});

interface Listed {
  readonly strategies: readonly { readonly use: string; readonly from: string }[];
}

describe('sluice strategy list', () => {
  it('list shows shipped strategies and those of the folder, with parameters and defaults', async () => {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'broken.ts'), 'export default {');
    const { exitCode, stdout } = await runSluice(['strategy', 'list', '--dir', own, '--json']);
    expect(exitCode).toBe(0);
    const { strategies } = JSON.parse(stdout) as Listed;
    const of = (part: string) => strategies.find(({ use }) => use.includes(part));
    expect(of('sma-cross')).toMatchObject({
      from: 'shipped',
      form: 'hooks',
      description: expect.stringMatching(/fast average/) as string,
      params: [
        { name: 'fast', default: 10 },
        { name: 'slow', default: 50 },
      ],
    });
    expect(of('my-flow')).toMatchObject({ from: 'project', form: 'stream' });
    expect(of('broken')).toMatchObject({
      from: 'project',
      problem: expect.stringMatching(/broken\.ts:1:\d+: /) as string,
    });
    expect(strategies.filter(({ use }) => use.includes('.test'))).toEqual([]);
  });

  it('list prints name, description and parameters', async () => {
    const { stdout } = await runSluice(['strategy', 'list', '--dir', join(folder.path, 'none')]);
    expect(stdout).toMatch(/^sma-cross\n {2}Long while .*\n {2}fast=10 {2}slow=50$/m);
  });
});
