import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { parseCandleCsv, parseCandleFile } from './candle-csv.js';
import { unpackedSize } from './csv-blocks.js';

/** More than three blocks of 1 MiB. */
const ROWS = 60_000;
const START = 1_750_000_000;

function textOf({ newline = '\n', quote = '', rows = ROWS } = {}): string {
  const cells = (index: number): string[] =>
    [START + index * 60, 94_000 + (index % 100), 95_000.125, 93_000.5, 94_000.75, index / 8].map(
      (value) => `${quote}${value}${quote}`,
    );
  const lines = Array.from({ length: rows }, (_, index) => cells(index).join(','));
  return ['open_time,open,high,low,close,volume', ...lines].join(newline);
}
const columnsOf = (columns: Awaited<ReturnType<typeof parseCandleFile>>) =>
  (['openTime', 'open', 'high', 'low', 'close', 'volume'] as const).map((name) =>
    Buffer.from(columns[name].slice(0, columns.length).buffer).toString('base64'),
  );
const messageOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return 'none';
  } catch (error) {
    return String(error);
  }
};

test.each([
  ['lines', textOf()],
  ['lines with CR LF', textOf({ newline: '\r\n' })],
  ['quoted cells', textOf({ quote: '"' })],
  ['blank lines', textOf({ newline: '\n\n' })],
])('a gzip in blocks gives the candles of the whole text: %s', async (_form, text) => {
  const whole = parseCandleCsv(Buffer.from(text), 'btc.csv');
  const blocks = await parseCandleFile(gzipSync(text), 'btc.csv.gz');
  expect(blocks.length).toBe(ROWS);
  expect(columnsOf(blocks)).toEqual(columnsOf(whole));
});

test('an error in a late block names its line', async () => {
  const text = `${textOf()}\n1,2,3\n`;
  const message = await messageOf(() => parseCandleFile(gzipSync(text), 'btc.csv.gz'));
  expect(message).toContain(`btc.csv.gz:${ROWS + 2}: `);
  expect(message).toBe(await messageOf(() => parseCandleCsv(gzipSync(text), 'btc.csv.gz')));
});

test.each([9, 100_000])('a gzip that lacks its last %i bytes is refused', async (count) => {
  const packed = gzipSync(textOf());
  const cut = packed.subarray(0, packed.length - count);
  expect(await messageOf(() => parseCandleFile(cut, 'btc.csv.gz'))).toContain('is it cut off?');
});

test('an empty text in a gzip is refused as an empty file', async () => {
  expect(await messageOf(() => parseCandleFile(gzipSync(''), 'btc.csv.gz'))).toContain(
    'the file is empty',
  );
});

test('the size of a text is that of its gzip, and a false one is bounded', () => {
  const packed = gzipSync(textOf());
  expect(unpackedSize(packed)).toBe(Buffer.byteLength(textOf()));
  const lying = gzipSync('a');
  lying.writeUInt32LE(0xffffffff, lying.length - 4);
  expect(unpackedSize(lying)).toBe(lying.length * 1_032);
});
