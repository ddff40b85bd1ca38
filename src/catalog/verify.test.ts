import { expect, test } from 'vitest';
import { CandleColumns } from '../market/candles/candle-columns.js';
import { ManualTime } from '../../test/support/fakes/manual-ports.js';
import { MemoryFiles } from '../../test/support/fakes/memory-files.js';
import { MemoryLocks } from '../../test/support/fakes/memory-locks.js';
import { encodeArrow } from './arrow-file.js';
import { DataCatalog } from './catalog.js';
import { rowsOfCandles } from './columns.js';
import type { CandleDataset } from './dataset.js';
import { verifyDataset, type VerifiedDataset } from './verify.js';

const START = Date.UTC(2025, 4, 5);
const MINUTES: CandleDataset = { kind: 'klines', symbol: 'BTCUSDT', interval: '1m' };
const PATH = '/data/klines/BTCUSDT-1m.arrow';
const FILE = { text: 'btc 1.csv', sha256: 'a'.repeat(64) };
const VENUE = { text: 'http://127.0.0.1:8080', sha256: null };

const candle = (minute: number, change = {}) => ({
  openTime: START + minute * 60_000,
  open: 10,
  high: 12,
  low: 9,
  close: 11,
  volume: 1,
  ...change,
});
const candles = (...minutes: readonly number[]): CandleColumns =>
  CandleColumns.from(minutes.map((minute) => candle(minute)));

function setUp() {
  const files = new MemoryFiles();
  const time = new ManualTime(START);
  const ports = { files, clock: time, scheduler: time, locks: new MemoryLocks().of() };
  return { files, catalog: new DataCatalog('/data', ports) };
}

async function verifyOnly(catalog: DataCatalog): Promise<VerifiedDataset> {
  const [entry] = await catalog.list();
  if (entry === undefined) throw new Error('The catalogue holds one dataset');
  return verifyDataset(catalog, entry);
}

test('whole data have no faults', async () => {
  const { catalog } = setUp();
  await catalog.write(MINUTES, candles(0, 1, 2), FILE);
  expect(await verifyOnly(catalog)).toMatchObject({ faults: [], venueGaps: [] });
});

test('a gap names its range and the download that fills it', async () => {
  const { catalog } = setUp();
  await catalog.write(MINUTES, candles(0, 1, 5), FILE);
  const { faults } = await verifyOnly(catalog);
  expect(faults).toEqual([
    {
      kind: 'gap',
      fromMs: START + 2 * 60_000,
      toMs: START + 5 * 60_000,
      count: 3,
      reason: '3 rows are missing',
      repair:
        'sluice data download --base-url URL --kind klines --symbol BTCUSDT --interval 1m --from 2025-05-05T00:02:00Z --to 2025-05-05T00:05:00Z --catalog /data',
    },
  ]);
});

test('a gap for which the venue has answered is no fault: no command fills it', async () => {
  const { catalog } = setUp();
  const answered = { fromMs: START, toMs: START + 600_000 };
  await catalog.write(MINUTES, candles(0, 5), { ...VENUE, answered });
  expect(await verifyOnly(catalog)).toMatchObject({
    faults: [],
    venueGaps: [{ fromMs: START + 60_000, toMs: START + 300_000 }],
  });
});

test('a changed file is made again from all its sources', async () => {
  const { files, catalog } = setUp();
  await catalog.write(MINUTES, candles(0, 1), FILE);
  await catalog.write(MINUTES, candles(2, 3), VENUE);
  files.flipBit(PATH, 8 * 900);
  const { faults } = await verifyOnly(catalog);
  expect(faults[0]).toMatchObject({
    kind: 'checksum',
    repair:
      "sluice data import 'btc 1.csv' --kind klines --symbol BTCUSDT --interval 1m --catalog /data --overwrite && " +
      'sluice data download --base-url http://127.0.0.1:8080 --kind klines --symbol BTCUSDT --interval 1m --from 2025-05-05T00:02:00Z --to 2025-05-05T00:04:00Z --catalog /data --overwrite',
  });
});

test.each([
  { what: 'a duplicate', rows: [candle(0), candle(1), candle(1)], kind: 'duplicate', count: 1 },
  { what: 'rows out of order', rows: [candle(1), candle(0)], kind: 'order', count: 1 },
  {
    what: 'two candles with a high below the low',
    rows: [candle(0), candle(1, { high: 8 }), candle(2, { high: 8 })],
    kind: 'bad',
    count: 2,
  },
  { what: 'a candle of price 0', rows: [candle(0, { low: 0 })], kind: 'bad', count: 1 },
  { what: 'a negative volume', rows: [candle(0, { volume: -1 })], kind: 'bad', count: 1 },
])('$what in a file that another program wrote is found', async ({ rows, kind, count }) => {
  const { files, catalog } = setUp();
  await catalog.write(MINUTES, candles(0), FILE);
  files.put(PATH, await encodeArrow(MINUTES, rowsOfCandles('klines', CandleColumns.from(rows))));
  const { faults } = await verifyOnly(catalog);
  expect(faults.map((fault) => fault.kind)).toEqual(['checksum', kind]);
  expect(faults[1]).toMatchObject({ count });
  expect(faults[1]?.repair).toContain('sluice data import');
});

test.each([
  { what: 'cut off', change: (bytes: Uint8Array) => bytes.slice(0, 500) },
  { what: 'no Arrow file', change: () => new TextEncoder().encode('open_time,open\n1,2\n') },
  { what: 'empty', change: () => new Uint8Array() },
])('a file that is $what is unreadable, and is made again', async ({ change }) => {
  const { files, catalog } = setUp();
  await catalog.write(MINUTES, candles(0, 1), FILE);
  files.put(PATH, change(files.peek(PATH) ?? new Uint8Array()));
  const { faults } = await verifyOnly(catalog);
  expect(faults.map(({ kind }) => kind)).toEqual(['unreadable']);
  expect(faults[0]?.repair).toContain('--overwrite');
});

test('a file without a record makes way', async () => {
  const { files, catalog } = setUp();
  await catalog.write(MINUTES, candles(0, 1), FILE);
  await files.remove('/data/klines/BTCUSDT-1m.json');
  const { faults } = await verifyOnly(catalog);
  expect(faults).toMatchObject([{ kind: 'no-record', repair: `mv ${PATH} ${PATH}.damaged` }]);
});
