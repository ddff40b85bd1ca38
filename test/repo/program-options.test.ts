import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const programs = ['bench', 'scripts', 'test/longrun']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  )
  .filter((file) => file.endsWith('.mjs') && read(file).includes('= programOptions(import'));
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });

it('benchmarks and proofs begin with a comment that shows their usage', () => {
  expect(programs.length).toBeGreaterThan(10);
  for (const file of programs) {
    const [head = ''] = read(file).split('\nimport');
    expect(head, file).toMatch(/^(\/\/.*\n?)+$/);
    expect(head, file).toContain('Usage: npm run ');
  }
});

it('--help prints that comment, and an unknown option is one line with it', () => {
  const help = run('scripts/sim.mjs', '--help');
  expect([help.status, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toMatch(/^The swarm simulation.*\nUsage: npm run sim /);
  const unknown = run('scripts/sim.mjs', '--seedz', '3');
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toContain("Unknown option '--seedz'");
  expect(unknown.stderr).toContain('Usage: npm run sim ');
  expect(unknown.stderr).not.toContain('    at ');
});

it('a value that is no number is one line with the usage, before any work', () => {
  const cases = [
    ['scripts/sim.mjs', '--seeds', 'abc', '--seeds is a whole number from 1 on, not "abc"'],
    ['scripts/sim.mjs', '--jobs', '0', '--jobs is a whole number from 1 on, not "0"'],
    ['scripts/mutants.mjs', '--sample', '1.5', '--sample is a whole number from 1 on, not "1.5"'],
    ['test/longrun/proofs/soak.mjs', '--aged', '-1', 'argument is ambiguous'],
    ['test/longrun/proofs/soak.mjs', '--aged=-1', '--aged is a number from 0 on, not "-1"'],
  ];
  for (const [file = '', ...args] of cases) {
    const message = args.pop() ?? '';
    const ended = run(file, ...args);
    expect([ended.status, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toContain('Usage: npm run ');
    expect(ended.stderr).not.toContain('    at ');
  }
});
