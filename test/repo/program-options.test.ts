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
