import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { sluice, temporaryFolder } from '../harness/command-line.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

test.each([
  ['second-trader', 'seconds'],
  ['mark-trader', 'mark, mark-seconds'],
])('a backtest refuses %s, which asks for what it does not have', async (name, streams) => {
  const strategy = fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url));
  const { exitCode, stdout, stderr } = await sluice([
    'backtest',
    '--strategy',
    strategy,
    '--out',
    `${folder.path}/out`,
  ]);
  expect(stderr).toContain(
    `strategy ${name} asks for ${streams}: a backtest has candles of trades only, ` +
      'no one-second and no mark data; run it against a sandbox instead (sluice run)',
  );
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
});
