import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundle } from '../../scripts/prepare/bundle.mjs';

const ENTRIES = [
  'src/tools/chaos/buy-once',
  'src/cli/commands/backtest/backtest-main',
  'src/cli/commands/backtest/variant-main',
  'src/cli/commands/backtest/backtest-worker',
  'src/tools/check/check-child',
  'src/tools/check/check-watchdog',
  'src/strategy/isolation/worker-main',
  'src/notify/telegram/telegram-worker',
  'src/testing/index',
  'src/strategy/index',
];
const DAY_MS = 86_400_000;
const BUILT_MS = Date.UTC(2026, 0, 1);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'));
  write('package.json', '{"type":"module"}');
  for (const entry of ENTRIES) write(`dist/${entry}.js`, `export const name = '${entry}';`);
  for (const entry of ['src/testing/index', 'src/strategy/index']) {
    write(`dist/${entry}.d.ts`, "export type { Word } from '../core/word.js';");
  }
  write('dist/src/core/word.d.ts', 'export type Word = string;');
  write('dist/src/core/inner.d.ts', 'export type Inner = string;');
  write('dist/strategies/mine.js', 'export default 1;\n//# sourceMappingURL=mine.js.map');
  write('dist/src/cli/main.js', "export const later = () => import('../core/deep/place.js');");
  place('first');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const place = (content: string): void =>
  write(
    'dist/src/core/deep/place.js',
    `export const word = '${content}';\nexport const up = new URL('../../up.txt', import.meta.url).href;`,
  );
const chunks = (): readonly string[] => readdirSync(join(root, 'lib/src/chunks'));

test('a module finds its neighbours from where it stood, whatever file it has come into', async () => {
  await bundle(root);
  const cli = (await import(pathToFileURL(join(root, 'lib/src/cli/main.js')).href)) as {
    later(): Promise<{ readonly word: string; readonly up: string }>;
  };
  const { word: content, up } = await cli.later();
  expect(content).toBe('first');
  expect(up).toBe(pathToFileURL(join(root, 'lib/src/up.txt')).href);
});

test('a built page is one file beside the program, and is gone when it is built no more', async () => {
  write('dist/pages/report/index.html', '<html>');
  await bundle(root);
  expect(readdirSync(join(root, 'lib/pages'))).toEqual(['report.html']);
  rmSync(join(root, 'dist/pages'), { recursive: true });
  await bundle(root);
  expect(readdirSync(join(root, 'lib/pages'))).toEqual([]);
});

test('the types of the public entries are there, and what no entry leads to is not', async () => {
  await bundle(root);
  expect(readdirSync(join(root, 'lib/src/core'))).toEqual(['word.d.ts']);
  expect(readdirSync(join(root, 'lib/strategies'))).toEqual(['mine.js']);
});

test('a chunk of an earlier build stays for a program that still runs, for 30 days', async () => {
  await bundle(root);
  const [before = ''] = chunks();
  place('second');
  await bundle(root);
  expect(chunks()).toHaveLength(2);
  expect(chunks()).toContain(before);
  utimesSync(join(root, 'lib/src/chunks', before), BUILT_MS / 1_000, BUILT_MS / 1_000);
  await bundle(root, { now: BUILT_MS + 29 * DAY_MS });
  expect(chunks()).toContain(before);
  await bundle(root, { now: BUILT_MS + 31 * DAY_MS });
  expect(chunks()).toHaveLength(1);
  expect(chunks()).not.toContain(before);
});

test('a chunk stays for 30 days from the last build that had it, not from its first', async () => {
  await bundle(root);
  const [before = ''] = chunks();
  utimesSync(join(root, 'lib/src/chunks', before), BUILT_MS / 1_000, BUILT_MS / 1_000);
  await bundle(root, { now: BUILT_MS + 40 * DAY_MS });
  place('second');
  await bundle(root, { now: BUILT_MS + 41 * DAY_MS });
  expect(chunks()).toContain(before);
});

test('what is packed holds nothing of an earlier build', async () => {
  await bundle(root);
  place('second');
  write('lib/left-over.js', '');
  await bundle(root, { fresh: true });
  expect(chunks()).toHaveLength(1);
  expect(readdirSync(join(root, 'lib'))).toEqual(['src', 'strategies']);
});
