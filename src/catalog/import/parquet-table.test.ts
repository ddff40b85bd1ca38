import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer, type ParquetWriteOptions } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import type { ForeignCandles } from './foreign-file.js';
import { readForeign } from './read-foreign.js';

const START = Date.UTC(2025, 0, 1);
const OPEN = [93576.1, 93656.18, 93600.3];
type Columns = ParquetWriteOptions['columnData'];

const prices: Columns = [
  { name: 'open', data: OPEN, type: 'DOUBLE' },
  { name: 'high', data: [93702.15, 93700, 93650], type: 'DOUBLE' },
  { name: 'low', data: [93489.03, 93500.5, 93550], type: 'DOUBLE' },
  { name: 'close', data: [93656.18, 93600.3, 93580], type: 'DOUBLE' },
  { name: 'volume', data: [78.5, 0.001, 3], type: 'DOUBLE' },
];
const minutes = [0, 1, 2].map((minute) => START + minute * 60_000);
const time = (name: string, data: unknown[], type?: 'TIMESTAMP' | 'INT64'): Columns[number] => ({
  name,
  data,
  ...(type !== undefined && { type }),
});

/** A frame of RFC 8878 with one raw block and the content size in one byte or two. */
function zstdOf(input: Uint8Array): Uint8Array {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(input.length, 5);
  header.writeUIntLE((input.length << 3) | 1, 9, 3);
  return Buffer.concat([header, input]);
}

async function read(options: Omit<ParquetWriteOptions, 'writer'>): Promise<ForeignCandles> {
  const bytes = new Uint8Array(parquetWriteBuffer(options));
  const [series] = await readForeign({ path: 'BTCUSDT-1m.parquet', bytes }, {});
  return series as ForeignCandles;
}

test.each<{ name: string; options: Omit<ParquetWriteOptions, 'writer'>; unit: string }>([
  {
    name: 'Snappy with a timestamp in ms',
    options: {
      columnData: [
        time(
          'date',
          minutes.map((ms) => new Date(ms)),
          'TIMESTAMP',
        ),
        ...prices,
      ],
    },
    unit: 'ms',
  },
  {
    name: 'Zstandard with whole µs',
    options: {
      columnData: [
        time(
          'open_time',
          minutes.map((ms) => BigInt(ms) * 1_000n),
          'INT64',
        ),
        ...prices,
      ],
      codec: 'ZSTD',
      compressors: { ZSTD: zstdOf },
    },
    unit: 'us',
  },
  {
    name: 'gzip with text in ISO 8601, in several row groups',
    options: {
      columnData: [
        time(
          'timestamp',
          minutes.map((ms) => new Date(ms).toISOString()),
        ),
        ...prices,
      ],
      codec: 'GZIP',
      compressors: { GZIP: gzipSync },
      rowGroupSize: 2,
    },
    unit: 'iso',
  },
])('a Parquet file in $name is read without a change of its doubles', async ({ options, unit }) => {
  const series = await read(options);
  expect(series).toMatchObject({ symbol: 'BTCUSDT', interval: '1m', form: { timeUnit: unit } });
  expect([...series.columns.openTime]).toEqual(minutes);
  expect([...series.columns.open]).toEqual(OPEN);
});

test('an empty cell in Parquet is refused with its row', async () => {
  const [open, ...others] = prices as [Columns[number], ...Columns];
  const holed = { ...open, data: [93576.1, null, 93600.3] };
  const reading = read({
    columnData: [time('time', minutes.map(BigInt), 'INT64'), holed, ...others],
  });
  await expect(reading).rejects.toThrow('BTCUSDT-1m.parquet: row 2: open');
});

test('a decimal in Parquet is the double nearest to it', async () => {
  const [, ...others] = prices as [Columns[number], ...Columns];
  const series = await read({
    columnData: [
      time('time', minutes.map(BigInt)),
      { name: 'open', data: [9_357_610n, 9_365_618n, 9_360_030n] },
      ...others.map(({ name, data }) => ({ name, data })),
    ],
    schema: [
      { name: 'root', num_children: 6 },
      { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
      {
        name: 'open',
        type: 'INT64',
        converted_type: 'DECIMAL',
        scale: 2,
        precision: 12,
        repetition_type: 'REQUIRED',
      },
      ...['high', 'low', 'close', 'volume'].map((name) => ({
        name,
        type: 'DOUBLE' as const,
        repetition_type: 'REQUIRED' as const,
      })),
    ],
  });
  expect([...series.columns.open]).toEqual(OPEN);
});
