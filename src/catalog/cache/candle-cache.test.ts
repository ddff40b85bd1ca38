import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeCacheFiles } from '../../io/node/cache/node-cache-files.js';
import { nodeFiles } from '../../io/node/node-files.js';
import type { Clock } from '../../core/ports.js';
import { parseCandleCsv } from '../../market/candles/candle-csv.js';
import type { CandleColumns } from '../../market/candles/candle-columns.js';
import { CandleCache, candleCacheOf } from './candle-cache.js';
import { cacheSettings } from './cache-settings.js';

const ROWS = 6_000;
const MB = 1_000_000;

let folder: string;
let source: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
  source = join(folder, 'btcusdt-1m.csv');
  writeFileSync(source, csv());
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Rows of one length, so that another price makes another file of the same size. */
function csv(price = 94_000): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const time = 1_750_000_000_000 + index * 60_000;
    return `${time},${price}.25,${price + 1}.25,${price - 1}.25,${price}.75,0.125`;
  });
  return `open_time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

/** A cache of a process of its own, and the files that it parses. `ageMs`: how long the sources have not changed. */
function cacheOf({ maxMb = 100, ageMs = 60_000, version = '1' } = {}) {
  const reads: string[] = [];
  const files = {
    read: (path: string) => {
      reads.push(path);
      return nodeFiles.read(path);
    },
  };
  const clock: Clock = { monotonicMs: () => 0, utcMs: () => Date.now() + ageMs };
  const settings = { folder: join(folder, 'cache'), maxBytes: maxMb * MB };
  const cache = new CandleCache(settings, { files, cacheFiles: nodeCacheFiles, clock, version });
  return { cache, reads };
}
const opensOf = (found: { columns: CandleColumns } | undefined) => [
  ...(found?.columns.open.subarray(0, found.columns.length) ?? []),
];
const entries = (ending = '') =>
  readdirSync(join(folder, 'cache', 'candles')).filter((name) => name.endsWith(ending));
const entry = (ending: string) => join(folder, 'cache', 'candles', entries(ending)[0] ?? '');

test('the second process reads the columns, and not the file', async () => {
  const first = await cacheOf().cache.read(source, 'required');
  const { cache, reads } = cacheOf();
  const second = await cache.read(source, 'required');
  expect(reads).toEqual([]);
  expect(second?.columns.length).toBe(ROWS);
  for (const name of ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const)
    expect([...(second?.columns[name] ?? [])]).toEqual([
      ...(first?.columns[name].subarray(0, ROWS) ?? []),
    ]);
  expect([second?.sha256, second?.bytes]).toEqual([first?.sha256, statSync(source).size]);
  expect(cache.notes).toEqual([]);
});

test('a change of the same size under a restored time is seen', async () => {
  const past = new Date(Date.now() - 3_600_000);
  utimesSync(source, past, past);
  await cacheOf().cache.read(source, 'required');
  writeFileSync(source, csv(95_000));
  utimesSync(source, past, past);
  expect(opensOf(await cacheOf().cache.read(source, 'required'))[0]).toBe(95_000.25);
});

test('a file of the same size and time that is renamed onto the path is seen', async () => {
  await cacheOf().cache.read(source, 'required');
  const { atime, mtime } = statSync(source);
  writeFileSync(`${source}.new`, csv(95_000));
  utimesSync(`${source}.new`, atime, mtime);
  renameSync(`${source}.new`, source);
  expect(opensOf(await cacheOf().cache.read(source, 'required'))[0]).toBe(95_000.25);
});

test('a file that changed within the step of its time is hashed again', async () => {
  await cacheOf({ ageMs: 0 }).cache.read(source, 'required');
  const { cache, reads } = cacheOf();
  await cache.read(source, 'required');
  expect(reads).toEqual([source]);
  const later = cacheOf();
  await later.cache.read(source, 'required');
  expect(later.reads).toEqual([]);
});

test('the content of a touched file is found by its hash, and its columns stay', async () => {
  await cacheOf().cache.read(source, 'required');
  const before = statSync(entry('.arrow')).ino;
  writeFileSync(source, csv());
  const { cache, reads } = cacheOf();
  expect(opensOf(await cache.read(source, 'required'))).toHaveLength(ROWS);
  expect(reads).toEqual([source]);
  expect(statSync(entry('.arrow')).ino).toBe(before);
});

test.each(['.arrow', '.json'])('a damaged %s file is noticed and made again', async (ending) => {
  const first = await cacheOf().cache.read(source, 'required');
  const path = entry(ending);
  const whole = readFileSync(path);
  const damaged = Buffer.from(whole);
  const at = damaged.length >> 1;
  damaged[at] = (damaged[at] ?? 0) ^ 1;
  writeFileSync(path, damaged);
  const { cache } = cacheOf();
  const second = await cache.read(source, 'required');
  expect(opensOf(second)).toEqual(opensOf(first));
  expect(second?.sha256).toBe(first?.sha256);
  expect(cache.notes).toEqual([`${path}: it is damaged, and is made again`]);
  const third = cacheOf();
  expect(opensOf(await third.cache.read(source, 'required'))).toEqual(opensOf(first));
  expect([third.reads, third.cache.notes]).toEqual([[], []]);
});

test('a cut-off file of columns is made again', async () => {
  await cacheOf().cache.read(source, 'required');
  writeFileSync(entry('.arrow'), '');
  const { cache, reads } = cacheOf();
  expect(opensOf(await cache.read(source, 'required'))).toHaveLength(ROWS);
  expect(reads).toEqual([source]);
});

test('a folder that cannot be written is a note, and the candles are parsed', async () => {
  writeFileSync(join(folder, 'cache'), 'a file');
  const { cache } = cacheOf();
  expect(opensOf(await cache.read(source, 'required'))).toHaveLength(ROWS);
  expect(cache.notes.join('\n')).toContain('the cache of candles cannot be written');
});

test('processes that read at the same time get the same candles and leave one entry', async () => {
  const found = await Promise.all(
    Array.from({ length: 6 }, () => cacheOf().cache.read(source, 'required')),
  );
  for (const each of found) expect(opensOf(each)).toEqual(opensOf(found[0]));
  expect(entries()).toHaveLength(2);
  const { cache, reads } = cacheOf();
  expect(opensOf(await cache.read(source, 'required'))).toHaveLength(ROWS);
  expect([reads, cache.notes]).toEqual([[], []]);
});

test('beyond the limit the entry that was not used for longest goes', async () => {
  const paths = ['a', 'b', 'c'].map((name) => join(folder, `${name}.csv`));
  for (const path of paths) writeFileSync(path, csv());
  const [a = '', b = '', c = ''] = paths;
  const read = (path: string, ageMs: number) =>
    cacheOf({ maxMb: 1, ageMs }).cache.read(path, 'required');
  await read(a, 60_000);
  await read(b, 120_000);
  // Read again, a is the newer one: 600 kB of two entries are below 1 MB, those of three would not be below 0.8.
  await read(a, 180_000);
  const small = cacheOf({ maxMb: 0.7, ageMs: 240_000 });
  await small.cache.read(c, 'required');
  expect(entries('.arrow')).toHaveLength(2);
  const after = cacheOf();
  for (const path of [a, c]) await after.cache.read(path, 'required');
  expect(after.reads).toEqual([]);
});

test('columns that are larger than the whole cache are not kept', async () => {
  const { cache } = cacheOf({ maxMb: 0.1 });
  expect(opensOf(await cache.read(source, 'required'))).toHaveLength(ROWS);
  expect(cache.notes).toEqual([]);
  expect(readdirSync(folder)).toEqual(['btcusdt-1m.csv']);
});

test('another version of the program parses the file anew', async () => {
  await cacheOf().cache.read(source, 'required');
  const { cache, reads } = cacheOf({ version: '2' });
  await cache.read(source, 'required');
  expect(reads).toEqual([source]);
});

test('a file that is no series has the same error, and no entry', async () => {
  const broken = `${csv()}x,1,1,1,1,1\n`;
  writeFileSync(source, broken);
  const errorOf = async (run: () => unknown) => {
    try {
      await run();
      return 'none';
    } catch (error) {
      return String(error);
    }
  };
  const error = await errorOf(() => cacheOf().cache.read(source, 'required'));
  expect(error).toBe(await errorOf(() => parseCandleCsv(Buffer.from(broken), source)));
  expect(error).toContain(`btcusdt-1m.csv:${ROWS + 2}: open_time "x" is not a number`);
  expect(readdirSync(folder)).toEqual(['btcusdt-1m.csv']);
});

test('small files, folders and missing files are left to the caller', async () => {
  const small = join(folder, 'small.csv');
  writeFileSync(small, csv().slice(0, 1_000));
  const { cache, reads } = cacheOf();
  for (const path of [small, folder, join(folder, 'absent.csv')])
    expect(await cache.read(path, 'required')).toBeUndefined();
  expect([reads, cache.notes]).toEqual([[], []]);
});

test('the environment names the folder and the limit', () => {
  expect(cacheSettings({ HOME: '/home/u' })).toEqual({
    folder: '/home/u/.cache/sluice',
    maxBytes: 2_000 * MB,
  });
  expect(cacheSettings({ HOME: '/home/u', XDG_CACHE_HOME: '/c' })?.folder).toBe('/c/sluice');
  expect(cacheSettings({ SLUICE_CACHE: '/x', SLUICE_CACHE_MB: '5' })).toEqual({
    folder: '/x',
    maxBytes: 5 * MB,
  });
  expect(cacheSettings({})).toBeUndefined();
  expect(cacheSettings({ HOME: '/home/u', SLUICE_CACHE_MB: '0' })).toBeUndefined();
  expect(() => cacheSettings({ HOME: '/home/u', SLUICE_CACHE_MB: '2 GB' })).toThrow(
    'SLUICE_CACHE_MB is "2 GB", and not a whole number of megabytes',
  );
});

test('a process without cache files has no cache', () => {
  const { cache: _cache, reads: _reads } = cacheOf();
  const clock: Clock = { monotonicMs: () => 0, utcMs: () => 0 };
  expect(candleCacheOf({ files: nodeFiles, clock, env: { HOME: folder } })).toBeUndefined();
});
