import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Files } from '../../core/ports.js';
import { nodeFiles } from '../../io/node/node-files.js';
import { nodeFolders } from '../../io/node/node-folders.js';
import { RunFolderWriter, type RunFiles } from './run-folder-writer.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'runs-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const ports = (files: Files = nodeFiles) => ({
  files,
  folders: nodeFolders,
  random: { next: () => 0.5 },
});
const filesOf = (folder: string): RunFiles =>
  new Map([
    ['result.json', `{"run":"${folder.replace(root, '')}"}`],
    ['trades.csv', 'trades'],
  ]);
const at = (...path: readonly string[]): string => join(root, ...path);
const resultOf = (name: string): string => readFileSync(at(name, 'result.json'), 'utf8');

test('a run appears under its name only when all of its files are written', async () => {
  const writer = await RunFolderWriter.open(at('deep', 'run'), ports());
  expect(existsSync(at('deep', 'run'))).toBe(false);
  expect(await writer.publish(filesOf, false)).toBe(at('deep', 'run'));
  await writer.discard();
  expect(readdirSync(at('deep'))).toEqual(['run']);
  expect(readdirSync(at('deep', 'run')).sort()).toEqual(['result.json', 'trades.csv']);
});

test('a full disk leaves no folder of the run', async () => {
  const full = new Error('no space left on device');
  const files: Files = {
    ...nodeFiles,
    replace: (path, bytes) =>
      path.endsWith('result.json') ? Promise.reject(full) : nodeFiles.replace(path, bytes),
  };
  const writer = await RunFolderWriter.open(at('run'), ports(files));
  await expect(writer.publish(filesOf, false)).rejects.toBe(full);
  await writer.discard();
  expect(readdirSync(root)).toEqual([]);
});

test('two runs of one second have two folders, each with its name in the result', async () => {
  const first = await RunFolderWriter.open(at('run'), ports());
  await first.publish(filesOf, true);
  const second = await RunFolderWriter.open(at('run'), ports());
  expect(await second.publish(filesOf, true)).toBe(at('run-2'));
  await second.discard();
  expect(resultOf('run')).toBe('{"run":"/run"}');
  expect(resultOf('run-2')).toBe('{"run":"/run-2"}');
  expect(readdirSync(root).sort()).toEqual(['run', 'run-2']);
});

test('a run in a folder that exists removes tables of the earlier run and keeps other files', async () => {
  mkdirSync(at('run'));
  for (const name of ['result.json', 'fills.csv', 'report.html', 'notes.txt'])
    writeFileSync(at('run', name), 'before');
  const writer = await RunFolderWriter.open(at('run'), ports());
  expect(resultOf('run')).toBe('before');
  await writer.publish(filesOf, false);
  await writer.discard();
  expect(readdirSync(at('run')).sort()).toEqual(['notes.txt', 'result.json', 'trades.csv']);
});

test('an interrupted replacement leaves no result that does not fit its tables', async () => {
  mkdirSync(at('run'));
  writeFileSync(at('run', 'result.json'), 'before');
  const files: Files = { ...nodeFiles, replace: () => Promise.reject(new Error('killed')) };
  const writer = await RunFolderWriter.open(at('run'), ports(files));
  await expect(writer.publish(filesOf, false)).rejects.toThrow('killed');
  expect(existsSync(at('run', 'result.json'))).toBe(false);
});

test('a file in place of the folder is refused before the run', async () => {
  writeFileSync(at('run'), 'a file');
  await expect(RunFolderWriter.open(at('run'), ports())).rejects.toThrow(
    /run: the folder of the run cannot be created: .*choose another with --out/,
  );
});
