import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countTests, retriedTests } from '../../scripts/count-tests.mjs';
import { prepare, PrepareError } from '../../scripts/prepare.mjs';

const ENTRY = 'lib/src/cli/main.js';
const BUILT = ['tsc', 'bundle'];
const LOCKED = {
  '': { version: '0.1.0' },
  'node_modules/zod': { version: '4.0.0' },
  'node_modules/typescript': { version: '6.0.3', dev: true },
  'node_modules/only-elsewhere': { version: '1.0.0', optional: true },
};

let root: string;
let ran: string[];
let exitCode: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prepare-'));
  ran = [];
  exitCode = 0;
  write('package.json', JSON.stringify({ engines: { node: '>=20.19' } }));
  write('package-lock.json', JSON.stringify({ packages: LOCKED }));
  write('tsconfig.json', '{}');
  write('src/cli/main.ts', 'export {};');
  write('src/core/word.ts', 'export {};');
  write('src/core/word.test.ts', 'export {};');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What npm leaves behind. */
function installed(kind: 'full' | 'production'): void {
  rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const present = Object.entries(lock.packages).filter(
    ([path, { dev, optional }]) =>
      path !== '' && optional !== true && (kind === 'full' || dev !== true),
  );
  const packages = Object.fromEntries(present);
  write('node_modules/.package-lock.json', JSON.stringify({ packages }));
  write('node_modules/.bin/zod', '');
  if (kind === 'full') {
    write('node_modules/typescript/package.json', '{}');
    write('node_modules/typescript/bin/tsc', '');
  }
}

/** Instead of npm, tsc and the bundler. */
function run(_program: string, args: readonly string[]): number {
  const isInstall = args[0] === 'ci';
  const isBundle = args[0]?.endsWith('bundle.mjs') === true;
  const built = isBundle ? ['bundle', ...args.slice(1)].join(' ') : 'tsc';
  ran.push(isInstall ? `npm ${args.join(' ')}` : built);
  if (exitCode !== 0) return exitCode;
  if (isInstall) installed('full');
  else if (isBundle) write(ENTRY, '');
  else {
    for (const file of ['cli/main', 'core/word']) {
      if (existsSync(join(root, `src/${file}.ts`))) write(`dist/src/${file}.js`, '');
    }
  }
  return 0;
}

function prepared(dev = false): string[] {
  ran = [];
  prepare({ root, dev, run, log: () => undefined });
  return ran;
}

const NPM_CI = 'npm ci --include=dev --ignore-scripts';

describe('a checkout', () => {
  test('that is fresh is installed and built, once', () => {
    expect(prepared()).toEqual([NPM_CI, ...BUILT]);
    expect(prepared()).toEqual([]);
    expect(existsSync(join(root, ENTRY))).toBe(true);
  });

  test('that was installed by npm ci itself is only built', () => {
    installed('full');
    expect(prepared()).toEqual(BUILT);
    expect(prepared()).toEqual([]);
  });

  test.each([
    ['a source is touched', () => utimesSync(join(root, 'src/core/word.ts'), 1, 1), BUILT],
    ['a source is added', () => write('src/core/other.ts', ''), BUILT],
    ['a setting of the build changes', () => write('tsconfig.json', '{ }'), BUILT],
    ['the build is gone', () => rmSync(join(root, 'dist'), { recursive: true }), BUILT],
    ['the bundle is gone', () => rmSync(join(root, 'lib'), { recursive: true }), BUILT],
    ['a page is touched', () => write('pages/report/src/page.tsx', 'changed'), BUILT],
    ['the text of a page is touched', () => write('docs/metrics.md', 'changed'), BUILT],
    ['a test changes', () => write('src/core/word.test.ts', 'changed'), []],
    ['a package moves on', () => lockTo('4.0.1'), [NPM_CI, ...BUILT]],
    [
      'the packages are gone',
      () => rmSync(join(root, 'node_modules'), { recursive: true }),
      [NPM_CI],
    ],
    ['npm ci ran once more', () => installed('full'), []],
    ['an install broke off half-way', () => brokenInstall(), [NPM_CI]],
  ])('in which %s is made right, and no more', (_, change, expected) => {
    prepared();
    change();
    expect(prepared()).toEqual(expected);
    expect(prepared()).toEqual([]);
  });

  function lockTo(version: string): void {
    const packages = { ...LOCKED, 'node_modules/zod': { version } };
    write('package-lock.json', JSON.stringify({ packages }));
  }

  function brokenInstall(): void {
    rmSync(join(root, 'node_modules/.package-lock.json'));
    rmSync(join(root, 'node_modules/.sluice-stamp'));
  }

  test('that lost a source loses what was made of it', () => {
    prepared();
    rmSync(join(root, 'src/core/word.ts'));
    expect(prepared()).toEqual(BUILT);
    expect(existsSync(join(root, 'dist/src/core/word.js'))).toBe(false);
    expect(existsSync(join(root, ENTRY))).toBe(true);
  });

  test('gets a link, so that npx finds the command', () => {
    prepared();
    expect(readdirSync(join(root, 'node_modules/.bin'))).toContain('sluice');
  });

  test('that was installed for production runs what was built, and asks for no compiler', () => {
    prepared();
    installed('production');
    expect(prepared()).toEqual([]);
    utimesSync(join(root, 'src/core/word.ts'), 1, 1);
    expect(prepared()).toEqual([]);
  });

  test('that was installed for production gets the rest when tests are to run', () => {
    prepared();
    installed('production');
    expect(prepared(true)).toEqual([NPM_CI]);
  });

  test('that is packed is bundled anew, with nothing of an earlier build', () => {
    prepared();
    ran = [];
    prepare({ root, dev: true, pack: true, run, log: () => undefined });
    expect(ran).toEqual(['bundle --fresh']);
  });

  test('without a lock, as a package inside another, runs what was built', () => {
    prepared();
    for (const path of ['package-lock.json', 'node_modules', 'src', 'dist']) {
      rmSync(join(root, path), { recursive: true });
    }
    expect(prepared()).toEqual([]);
  });
});

describe('what fails', () => {
  test('in npm is one sentence, and tried again the next time', () => {
    exitCode = 7;
    expect(() => prepared()).toThrow(/the packages could not be installed \(npm ci ended with 7\)/);
    exitCode = 0;
    expect(prepared()).toEqual([NPM_CI, ...BUILT]);
  });

  test('in the compiler leaves nothing that looks built', () => {
    prepared();
    write('src/core/word.ts', 'broken');
    exitCode = 2;
    expect(() => prepared()).toThrow('the build failed (tsc ended with 2)');
    expect(() => prepared()).toThrow('the build failed (tsc ended with 2)');
    exitCode = 0;
    expect(prepared()).toEqual(BUILT);
  });

  test('in the bundler is one sentence, and tried again the next time', () => {
    const broken = (program: string, args: readonly string[]): number =>
      args[0]?.endsWith('bundle.mjs') === true ? 3 : run(program, args);
    const build = () => prepare({ root, run: broken, log: () => undefined });
    expect(build).toThrow('the build failed (scripts/prepare/bundle.mjs ended with 3)');
    expect(prepared()).toEqual(BUILT);
  });

  test.each([['>=99.1'], [`>=${process.versions.node.split('.')[0]}.999`]])(
    'because this Node is older than %s is bad usage',
    (node) => {
      write('package.json', JSON.stringify({ engines: { node } }));
      expect(() => prepared()).toThrow(
        expect.objectContaining({
          name: 'PrepareError',
          exitCode: 2,
          message: expect.stringMatching(
            /^Node \d+\.\d+ or newer is needed, and this is Node/,
          ) as string,
        }) as PrepareError,
      );
      expect(ran).toEqual([]);
    },
  );
});

describe('processes that prepare the same checkout at once', () => {
  const lock = (): string => join(root, '.sluice/prepare.lock');

  test('wait for each other: it is installed and built once', async () => {
    const script = `
      import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
      import { prepare } from ${JSON.stringify(pathToFileURL(fileURLToPath(new URL('../../scripts/prepare.mjs', import.meta.url))).href)};
      const root = ${JSON.stringify(root)};
      const run = (program, args) => {
        const isBundle = args[0].endsWith('bundle.mjs');
        appendFileSync(root + '/ran', (args[0] === 'ci' ? 'npm' : isBundle ? 'bundle' : 'tsc') + '\\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
        if (args[0] === 'ci') {
          mkdirSync(root + '/node_modules/typescript/bin', { recursive: true });
          writeFileSync(root + '/node_modules/typescript/package.json', '{}');
          writeFileSync(root + '/node_modules/typescript/bin/tsc', '');
        } else if (!isBundle) {
          mkdirSync(root + '/dist', { recursive: true });
        } else {
          mkdirSync(root + '/lib/src/cli', { recursive: true });
          writeFileSync(root + '/${ENTRY}', '');
        }
        return 0;
      };
      prepare({ root, run, say: () => {} });
      if (!existsSync(root + '/${ENTRY}')) process.exit(9);
    `;
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        return new Promise((resolve) => child.once('exit', resolve));
      }),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(root, 'ran'), 'utf8')).toBe('npm\ntsc\nbundle\n');
    expect(existsSync(lock())).toBe(false);
  });

  test('do not wait for one that died', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => child.once('exit', resolve));
    write('.sluice/prepare.lock/pid', String(child.pid));
    expect(prepared()).toEqual([NPM_CI, ...BUILT]);
    expect(readdirSync(join(root, '.sluice'))).toEqual([]);
  });

  test('leave the lock free after a failure', () => {
    exitCode = 1;
    expect(() => prepared()).toThrow(PrepareError);
    expect(existsSync(lock())).toBe(false);
  });
});

test.each([
  [{ numPassedTests: 5, numFailedTests: 0 }, '5 passed, 0 failed'],
  [{ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2 }, '5 passed, 1 failed, 2 skipped'],
  [
    {
      numPassedTests: 5,
      numFailedTests: 0,
      testResults: [
        { status: 'failed', assertionResults: [] },
        { status: 'passed', assertionResults: [{}] },
      ],
    },
    '5 passed, 1 failed',
  ],
])('the closing line of CI counts %j', (report, line) => {
  expect(countTests(report)).toBe(line);
});

test('the closing line of CI sums what several runs report', () => {
  const runs = [
    { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1 },
    { numPassedTests: 7, numFailedTests: 2 },
  ];
  expect(countTests(...runs)).toBe('12 passed, 2 failed, 1 skipped');
});

test('CI names a test that passed at its second attempt only', () => {
  const result = (fullName: string, status: string, ...failureMessages: string[]) => ({
    fullName,
    status,
    failureMessages,
  });
  const assertionResults = [
    result('sound', 'passed'),
    result('slow once', 'passed', 'AssertionError: too late'),
    result('wrong', 'failed', 'AssertionError', 'AssertionError'),
  ];
  const report = {
    numPassedTests: 2,
    numFailedTests: 1,
    testResults: [{ status: 'failed', assertionResults }],
  };
  expect(retriedTests(report)).toEqual(['slow once']);
});
