import { describe, expect, test } from 'vitest';
import { CandleColumns } from '../market/candles/candle-columns.js';
import { ManualTime } from '../../test/support/fakes/manual-ports.js';
import { MemoryFiles } from '../../test/support/fakes/memory-files.js';
import { MemoryLocks } from '../../test/support/fakes/memory-locks.js';
import { DataCatalog } from './catalog.js';
import type { FundingColumns } from './columns.js';
import type { CandleDataset, FundingDataset } from './dataset.js';

const START = Date.UTC(2025, 4, 5);
const MINUTE = 60_000;
const MINUTES: CandleDataset = { kind: 'klines', symbol: 'BTCUSDT', interval: '1m' };
const FUNDING: FundingDataset = { kind: 'funding', symbol: 'BTCUSDT' };
const SOURCE = { text: 'btc.csv', sha256: 'a'.repeat(64) };

/** One candle a minute, at these minutes after the start. */
const candles = (minutes: readonly number[], lift = 0): CandleColumns =>
  CandleColumns.from(
    minutes.map((minute) => ({
      openTime: START + minute * MINUTE,
      open: 94_000.1 + minute + lift,
      high: 94_010.25 + minute + lift,
      low: 93_990.5 + minute,
      close: 94_001.3 + minute,
      volume: 0.001 * minute,
    })),
  );
const minutesFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);
const settlements = (hours: readonly number[], rate = 0.0001): FundingColumns => ({
  length: hours.length,
  time: Float64Array.from(hours, (hour) => START + hour * 3_600_000),
  rate: Float64Array.from(hours, () => rate),
  intervalMs: Float64Array.from(hours, () => 0),
});

const catalogOn = (files: MemoryFiles, locks = new MemoryLocks().of()): DataCatalog => {
  const time = new ManualTime(START);
  return new DataCatalog('/data', { files, clock: time, scheduler: time, locks });
};
const listOf = (columns: CandleColumns | undefined) =>
  Array.from({ length: columns?.length ?? 0 }, (_, index) => columns?.at(index));
const caught = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing was thrown',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

test('candles come back to the last digit, within the range that was asked for', async () => {
  const catalog = catalogOn(new MemoryFiles());
  const written = candles(minutesFrom(0, 10));
  await catalog.write(MINUTES, written, SOURCE);
  expect(listOf(await catalog.read(MINUTES))).toEqual(listOf(written));
  const part = await catalog.read(MINUTES, START + 2 * MINUTE, START + 4 * MINUTE);
  expect(listOf(part)).toEqual([written.at(2), written.at(3)]);
  expect(await catalog.read({ ...MINUTES, symbol: 'ETHUSDT' })).toBeUndefined();
});

test('candles of the mark price come back without a volume, and funding with its interval', async () => {
  const catalog = catalogOn(new MemoryFiles());
  const marks: CandleDataset = { ...MINUTES, kind: 'mark-klines' };
  await catalog.write(marks, candles([1]), SOURCE);
  expect(listOf(await catalog.read(marks))).toEqual([{ ...candles([1]).at(0), volume: 0 }]);
  const funding = { ...settlements([0, 4]), intervalMs: Float64Array.of(0, 14_400_000) };
  await catalog.write(FUNDING, funding, SOURCE);
  expect(await catalog.read(FUNDING)).toEqual(funding);
});

test('the same rows give the same bytes, in one write or in several', async () => {
  const one = new MemoryFiles();
  await catalogOn(one).write(MINUTES, candles(minutesFrom(0, 9)), SOURCE);
  const several = new MemoryFiles();
  for (const first of [6, 0, 3])
    await catalogOn(several).write(MINUTES, candles(minutesFrom(first, 3)), SOURCE);
  const path = '/data/klines/BTCUSDT-1m.arrow';
  expect(several.peek(path)).toEqual(one.peek(path));
});

test('coverage names the ranges, the gaps and the sources', async () => {
  const catalog = catalogOn(new MemoryFiles());
  await catalog.write(MINUTES, candles([0, 1, 2, 7, 8]), SOURCE);
  const coverage = await catalog.coverage(MINUTES);
  const at = (minute: number): number => START + minute * MINUTE;
  expect(coverage).toMatchObject({
    rows: 5,
    ranges: [
      { fromMs: at(0), toMs: at(3), rows: 3 },
      { fromMs: at(7), toMs: at(9), rows: 2 },
    ],
    gaps: [{ fromMs: at(3), toMs: at(7), missing: 4 }],
    sources: [{ ...SOURCE, rows: 5, fromMs: at(0), toMs: at(9) }],
    answered: [
      { fromMs: at(0), toMs: at(3) },
      { fromMs: at(7), toMs: at(9) },
    ],
  });
  expect(await catalog.list()).toMatchObject([
    { dataset: MINUTES, path: '/data/klines/BTCUSDT-1m.arrow', state: { rows: 5 } },
  ]);
});

test('a source that answered without candles is remembered, so that nothing asks it again', async () => {
  const catalog = catalogOn(new MemoryFiles());
  const answered = { fromMs: START, toMs: START + 60 * MINUTE };
  await catalog.write(MINUTES, candles([]), { text: 'the venue', sha256: null, answered });
  expect(await catalog.coverage(MINUTES)).toMatchObject({ rows: 0, answered: [answered] });
});

test('the same write twice changes no byte', async () => {
  const files = new MemoryFiles();
  const catalog = catalogOn(files);
  await catalog.write(MINUTES, candles([0, 1]), SOURCE);
  const before = files.paths().map((path) => [path, files.peek(path)]);
  const result = await catalog.write(MINUTES, candles([0, 1]), SOURCE);
  expect(result).toMatchObject({ added: 0, replaced: 0, unchanged: 2 });
  expect(files.paths().map((path) => [path, files.peek(path)])).toEqual(before);
});

test('rows that differ are refused with the first of them, and --overwrite replaces them', async () => {
  const catalog = catalogOn(new MemoryFiles());
  await catalog.write(MINUTES, candles([0, 1, 2, 3]), SOURCE);
  const other = candles([2, 3, 4], 1);
  const message = await caught(catalog.write(MINUTES, other, { text: 'eth.csv', sha256: null }));
  expect(message).toContain(
    'eth.csv: BTCUSDT 1m klines at 2025-05-05T00:02:00.000Z: open is 94003.1',
  );
  expect(message).toContain('the first of 2 rows that differ; nothing was written; --overwrite');
  expect((await catalog.read(MINUTES))?.length).toBe(4);
  const result = await catalog.write(MINUTES, other, SOURCE, { overwrite: true });
  expect(result).toMatchObject({ added: 1, replaced: 2 });
  expect((await catalog.read(MINUTES))?.at(2)).toEqual(other.at(0));
});

test('an unknown settlement interval is no conflict with a known one', async () => {
  const catalog = catalogOn(new MemoryFiles());
  const known = { ...settlements([0, 8]), intervalMs: Float64Array.of(28_800_000, 28_800_000) };
  await catalog.write(FUNDING, settlements([0]), SOURCE);
  await catalog.write(FUNDING, known, SOURCE);
  await catalog.write(FUNDING, settlements([8]), SOURCE);
  expect(await catalog.read(FUNDING)).toEqual(known);
});

describe('a refused write leaves nothing behind', () => {
  const { openTime } = candles([0]);
  test.each([
    { what: 'a candle of price 0', change: { low: 0 }, reason: 'low is not above 0' },
    { what: 'a high below the low', change: { high: 1 }, reason: 'high is below low' },
    { what: 'a negative volume', change: { volume: -1 }, reason: 'volume is negative' },
    { what: 'a price that is no number', change: { open: NaN }, reason: 'a value is not finite' },
    {
      what: 'a time off the interval',
      change: { openTime: (openTime[0] as number) + 1 },
      reason: 'not on the interval 1m',
    },
  ])('$what', async ({ change, reason }) => {
    const files = new MemoryFiles();
    const bad = CandleColumns.from([{ ...candles([0]).at(0), ...change }]);
    expect(await caught(catalogOn(files).write(MINUTES, bad, SOURCE))).toContain(reason);
    expect(files.paths()).toEqual([]);
  });

  test('a time twice, and a time that goes back', async () => {
    const catalog = catalogOn(new MemoryFiles());
    expect(await caught(catalog.write(MINUTES, candles([1, 1]), SOURCE))).toContain('there twice');
    expect(await caught(catalog.write(MINUTES, candles([2, 1]), SOURCE))).toContain('row above');
  });

  test('a rate that is no fraction', async () => {
    const message = await caught(
      catalogOn(new MemoryFiles()).write(FUNDING, settlements([0], 1.5), SOURCE),
    );
    expect(message).toContain('its rate 1.5 is no fraction');
  });
});

test('a changed file is not read, and --overwrite sets it aside', async () => {
  const files = new MemoryFiles();
  const catalog = catalogOn(files);
  const path = '/data/klines/BTCUSDT-1m.arrow';
  await catalog.write(MINUTES, candles([0, 1]), SOURCE);
  files.flipBit(path, 8 * 900);
  expect(await caught(catalog.read(MINUTES))).toContain('its checksum is not that of its record');
  const damaged = files.peek(path);
  await catalog.write(MINUTES, candles([0, 1]), SOURCE, { overwrite: true });
  expect((await catalog.read(MINUTES))?.length).toBe(2);
  expect(files.peek(`${path}.damaged`)).toEqual(damaged);
});

test('a file without a record is not read', async () => {
  const files = new MemoryFiles();
  await catalogOn(files).write(MINUTES, candles([0]), SOURCE);
  await files.remove('/data/klines/BTCUSDT-1m.json');
  expect(await caught(catalogOn(files).read(MINUTES))).toContain('is missing or unreadable');
});

test('after a crash at any write of the disk, the old or the new rows are there whole', async () => {
  const before = new MemoryFiles();
  await catalogOn(before).write(MINUTES, candles(minutesFrom(0, 3)), SOURCE);
  const counted = before.copy();
  await catalogOn(counted).write(MINUTES, candles(minutesFrom(3, 3)), SOURCE);
  const steps = counted.operations;
  const lengths = new Set<number>();
  for (let step = 1; step <= steps; step += 1) {
    const files = before.copy();
    let left = step;
    files.failWith(() => ((left -= 1) < 0 ? { code: 'EIO' } : undefined));
    await caught(catalogOn(files).write(MINUTES, candles(minutesFrom(3, 3)), SOURCE));
    const after = catalogOn(files.crash({ loseDirectoryEntries: true }));
    const length = (await after.read(MINUTES))?.length ?? 0;
    expect((await after.coverage(MINUTES))?.rows).toBe(length);
    lengths.add(length);
    await after.write(MINUTES, candles(minutesFrom(3, 3)), SOURCE);
    expect((await after.read(MINUTES))?.length).toBe(6);
  }
  expect(lengths).toEqual(new Set([3, 6]));
});

test('a full disk refuses the write and keeps the rows that were there', async () => {
  const files = new MemoryFiles();
  await catalogOn(files).write(MINUTES, candles([0, 1]), SOURCE);
  files.fillAfter(100);
  const message = await caught(catalogOn(files).write(MINUTES, candles([2]), SOURCE));
  expect(message).toContain('ENOSPC');
  files.failWith(() => undefined);
  expect((await catalogOn(files).read(MINUTES))?.length).toBe(2);
});

test('two writers take turns, and one that never ends is named', async () => {
  const files = new MemoryFiles();
  const locks = new MemoryLocks().of();
  const time = new ManualTime(START);
  const catalog = new DataCatalog('/data', { files, clock: time, scheduler: time, locks });
  const first = catalog.write(MINUTES, candles([0]), SOURCE);
  const second = catalog.write(MINUTES, candles([1]), SOURCE);
  await first;
  await time.advance(100);
  await second;
  expect((await catalog.read(MINUTES))?.length).toBe(2);
  const held = await locks.exclusive('/data/catalog.lock');
  const third = caught(catalog.write(MINUTES, candles([2]), SOURCE));
  await time.advance(61_000);
  expect(await third).toContain('another process has written this catalogue for a minute');
  await held?.release();
});
