import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;
const programs = execFileSync('git', ['grep', '-l', '= programOptions(import'], { cwd: ROOT })
  .toString()
  .trim()
  .split('\n')
  .filter((file) => file.endsWith('.mjs'));
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });

it('benchmarks and proofs begin with a comment that shows their usage', () => {
  expect(programs.length).toBeGreaterThan(10);
  for (const file of programs) {
    const [head = ''] = readFileSync(join(ROOT, file), 'utf8').split('\nimport');
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
