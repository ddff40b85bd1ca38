import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MOST_FILES = 800;
const MOST_BYTES = 1_120_000;

interface Packed {
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
beforeAll(async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], {
    cwd: ROOT,
    maxBuffer: 16 * 1_048_576,
  });
  [packed] = JSON.parse(stdout) as [Packed];
}, 120_000);

test('the package is at most 800 files and 1.12 MB', () => {
  expect(packed.files.length).toBeLessThanOrEqual(MOST_FILES);
  expect(packed.size).toBeLessThanOrEqual(MOST_BYTES);
});

test('the package holds no test of ours, no map, no build info, no image, no secret and no compiler output', () => {
  const unwanted =
    /\.map$|\.tsbuildinfo$|\.(?:png|jpe?g|gif|svg|webp|ico)$|^(?:dist|src|test|node_modules)\/|secrets|sluice-stamp/;
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
  // Those of templates/ are what `sluice init` gives a new project.
  const tests = paths.filter((path) => /\.test\./.test(path) && !path.startsWith('templates/'));
  expect(tests).toEqual([]);
});

test('the package holds what is read when it runs', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/sluice.mjs',
      'config/demo.yaml',
      'config/instruments/standard.yaml',
      'lib/src/cli/main.js',
      'lib/src/strategy/isolation/worker-main.js',
      'lib/src/testing/index.d.ts',
      'lib/src/strategy/index.d.ts',
      'lib/strategies/sma-cross.js',
      'scripts/prepare.mjs',
      'scripts/prepare/problem.mjs',
      'templates/project/gitignore',
    ]),
  );
});
