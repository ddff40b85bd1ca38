import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { RunResult } from '../../src/report/run/result-schema.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

/** It trades on each candle; at candle 300 it writes a file, and waits in each candle until that file is gone. */
const WAITS = `import { existsSync, writeFileSync } from 'node:fs';
import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'waits',
  params: z.object({ marker: z.string() }),
  create({ params }) {
    let seen = 0;
    return {
      onCandle(context) {
        seen += 1;
        context.target(seen % 2);
        if (seen === 300 && params.marker !== '') writeFileSync(params.marker, '');
        if (seen === 300) while (params.marker !== '' && existsSync(params.marker + '.wait')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      },
    };
  },
});
`;

it('Ctrl-C keeps the results up to that candle, and the repeat command gives the same ones', async () => {
  const marker = join(folder.path, 'marker');
  writeFileSync(join(folder.path, 'waits.mjs'), WAITS);
  writeFileSync(`${marker}.wait`, '');
  const args = ['backtest', '--strategy', './waits.mjs', '--param', `marker=${marker}`];
  const child = spawn(process.execPath, [PROGRAM, ...args, '--out', 'run', '--json'], {
    cwd: folder.path,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await until(() => existsSync(marker));
  child.kill('SIGINT');
  await until(() => stderr.includes('SIGINT'));
  spawnSync('rm', [`${marker}.wait`]);
  expect(await ended, stderr).toBe(1);
  const result = JSON.parse(stdout) as RunResult;
  expect(result).toMatchObject({ interrupted: true, bars: 300, to: '2025-05-05T05:00:00.000Z' });
  expect(stderr).toContain('its results so far are kept');
  const file = readFileSync(join(folder.path, 'run/result.json'), 'utf8');
  expect((JSON.parse(file) as RunResult).run_hash).toBe(result.run_hash);
  expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([]);

  const again = spawnSync(
    'sh',
    ['-c', result.repeat.replace(/^npx sluice/, `"${process.execPath}" "${PROGRAM}"`) + ' --json'],
    { cwd: folder.path, encoding: 'utf8' },
  );
  expect(JSON.parse(again.stdout)).toMatchObject({
    interrupted: false,
    run_hash: result.run_hash,
  });
}, 180_000);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
