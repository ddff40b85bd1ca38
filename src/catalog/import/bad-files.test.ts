import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { zipOf } from '../../../test/support/builders/zip.js';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import type { ForeignOptions } from './foreign-file.js';
import { readForeign } from './read-foreign.js';

const T = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;
const HEADER = 'open_time,open,high,low,close,volume';
const row = (minute: number, prices = '10,12,9,11,5'): string => `${T + minute * MINUTE},${prices}`;
const csv = (...rows: readonly string[]): string => [HEADER, ...rows, ''].join('\n');
const json = (...rows: readonly string[]): string =>
  `[${rows.map((each) => `[${each}]`).join(',')}]`;
const cut = (bytes: Uint8Array, kept: number): Uint8Array => bytes.subarray(0, kept);
const ZIP = zipOf({ 'BTCUSDT-1m-2025-01.csv': csv(row(0), row(1)) });
const GZIP = gzipSync(csv(row(0), row(1)));
const changed = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, index) => (index === at ? byte ^ 0xff : byte));

interface BadFile {
  readonly fault: string;
  readonly path?: string;
  readonly content: string | Uint8Array;
  readonly options?: ForeignOptions;
  readonly checksum?: string;
  /** Place, cause and mend, in this order. */
  readonly says: readonly string[];
}

const CSV = 'btcusdt-1m.csv';
const JSON_FILE = 'BTC_USDT_USDT-1m-futures.json';
const FILES: readonly BadFile[] = [
  { fault: 'an empty file', content: '', says: [CSV, 'the file is empty', 'fetch it again'] },
  { fault: 'a header alone', content: HEADER, says: [CSV, 'no candle below the header'] },
  {
    fault: 'one candle of an unknown interval',
    path: 'btcusdt.csv',
    content: csv(row(0)),
    says: ['btcusdt.csv', 'one candle', '--interval 1m'],
  },
  {
    fault: 'no symbol in its name',
    path: 'own.csv',
    content: csv(row(0), row(1)),
    says: ['own.csv', 'does not give its symbol', '--symbol BTCUSDT'],
  },
  {
    fault: 'unsorted rows',
    content: csv(row(1), row(0)),
    says: [`${CSV}:3`, 'is not after', '--sort'],
  },
  {
    fault: 'a repeated row',
    content: csv(row(0), row(0)),
    says: [`${CSV}:3`, 'occurs twice', '--sort'],
  },
  {
    fault: 'two different rows of one time',
    content: csv(row(0), row(0, '10,13,9,11,5')),
    options: { isSorting: true },
    says: [CSV, '10,12,9,11,5 and 10,13,9,11,5', 'remove the wrong row'],
  },
  {
    fault: 'seconds among milliseconds',
    content: csv(row(0), `${T / 1_000 + 60},10,12,9,11,5`),
    says: [`${CSV}:3`, 'changes the unit', 'use one unit'],
  },
  {
    fault: 'seconds that the user calls milliseconds',
    content: csv(`${T / 1_000},10,12,9,11,5`),
    options: { timeUnit: 'ms' },
    says: [`${CSV}:2`, 'in ms is of 1970', '--time-unit s'],
  },
  {
    fault: 'NaN',
    content: csv(row(0), row(1, '10,NaN,9,11,5')),
    says: [`${CSV}:3`, 'high "NaN" is not a number', 'drop the row'],
  },
  {
    fault: 'a zero price',
    content: csv(row(0), row(1, '10,12,0,11,5')),
    says: [`${CSV}:3`, 'low 0 is not above 0', 'repair the row'],
  },
  {
    fault: 'decimal commas',
    content: `${HEADER}\n${row(0)}\n${row(1, '10,5;12;9;11;5')}\n`
      .replaceAll(',', ';')
      .replace('10;5', '10,5'),
    says: [`${CSV}:3`, '"10,5"', 'decimal point'],
  },
  {
    fault: 'columns in the order of another exchange',
    content: `${T},10,11,12,9,5\n${T + MINUTE},10,11,12,9,5\n`,
    says: [`${CSV}:1`, 'high 11 is below low 12', 'repair'],
  },
  {
    fault: 'unknown columns',
    content: `Zeit,Erster,Hoch,Tief,Schluss,Menge\n${row(0)}`,
    says: [
      `${CSV}:1`,
      'open_time, open, high, low, close, volume are missing',
      '"Zeit,Erster',
      'time=NAME,open=NAME',
    ],
  },
  {
    fault: 'a column of --columns that it does not have',
    content: csv(row(0)),
    options: { columns: new Map([['volume', 'volumen']]) },
    says: [`${CSV}:1`, 'no column "volumen"', 'did you mean "volume"'],
  },
  {
    fault: 'stamps of another interval than its name',
    content: csv(row(0), row(5), row(10)),
    says: [CSV, 'are 5m apart', 'name says 1m', '--interval 5m'],
  },
  {
    fault: 'stamps of another interval than --interval',
    content: csv(row(0), row(1)),
    options: { interval: '5m' },
    says: [CSV, 'are 1m apart', '--interval says 5m', '--interval 1m'],
  },
  {
    fault: 'stamps of the close or of another time zone',
    path: 'btcusdt-1d.csv',
    content: csv(row(330), row(330 + 1_440)),
    says: ['btcusdt-1d.csv', '2025-01-01T05:30:00.000Z', 'does not open on a full 1d', 'zone'],
  },
  {
    fault: 'stamps no interval apart',
    path: 'btcusdt.csv',
    content: csv(row(0), row(7)),
    says: ['btcusdt.csv', '7 min apart', 'no interval', '--time-unit'],
  },
  {
    fault: 'no volume at all',
    content: csv(row(0, '10,12,9,11,0'), row(1, '10,12,9,11,0')),
    says: [CSV, 'every volume is 0', '--kind mark-klines or --kind klines'],
  },
  {
    fault: 'a cut gzip',
    path: `${CSV}.gz`,
    content: cut(GZIP, GZIP.length - 9),
    says: [`${CSV}.gz`, 'cannot be unpacked', 'cut off', 'Fetch it again'],
  },
  {
    fault: 'a cut zip',
    path: 'BTCUSDT-1m-2025-01.zip',
    content: cut(ZIP, ZIP.length - 30),
    says: ['BTCUSDT-1m-2025-01.zip', 'cut off or damaged', 'fetch it again'],
  },
  {
    fault: 'a changed zip',
    path: 'BTCUSDT-1m-2025-01.zip',
    content: changed(ZIP, 60),
    says: ['BTCUSDT-1m-2025-01.zip', 'fetch it again'],
  },
  {
    fault: 'an error page instead of a zip',
    path: 'BTCUSDT-1m-2025-01.zip',
    content: '<Error>NoSuchKey</Error>',
    says: ['BTCUSDT-1m-2025-01.zip', 'no zip file', 'error page', 'Fetch it again'],
  },
  {
    fault: 'a wrong checksum',
    path: 'BTCUSDT-1m-2025-01.zip',
    content: ZIP,
    checksum: `${'0'.repeat(64)}  BTCUSDT-1m-2025-01.zip`,
    says: ['BTCUSDT-1m-2025-01.zip', 'differs from 000000000000…', 'fetch both again'],
  },
  {
    fault: 'a checksum file without a checksum',
    path: 'BTCUSDT-1m-2025-01.zip',
    content: ZIP,
    checksum: '<Error>',
    says: ['.CHECKSUM', 'no SHA-256', 'fetch it again'],
  },
  {
    fault: 'a cut Parquet file',
    path: 'BTCUSDT-1m.parquet',
    content: 'PAR1\x15\x04\x15',
    says: ['BTCUSDT-1m.parquet', 'cannot be read', 'cut off', 'Fetch it again'],
  },
  {
    fault: 'a cut Feather file',
    path: 'BTC_USDT-1m.feather',
    content: 'ARROW1\0\0\xff\xff',
    says: ['BTC_USDT-1m.feather', 'Feather', 'cut off', 'Fetch it again'],
  },
  {
    fault: 'cut JSON',
    path: JSON_FILE,
    content: json(row(0)).slice(0, -3),
    says: [JSON_FILE, 'no valid JSON', 'Fetch it again'],
  },
  {
    fault: 'JSON of an error',
    path: JSON_FILE,
    content: '{"code":-1121,"msg":"Invalid symbol."}',
    says: [JSON_FILE, 'no list of candles', '[[ms, open'],
  },
  { fault: 'JSON without a candle', path: JSON_FILE, content: '[]', says: [JSON_FILE, 'no row'] },
  {
    fault: 'null in JSON',
    path: JSON_FILE,
    content: json(row(0), row(1, '10,null,9,11,5')),
    says: [`${JSON_FILE}: row 2`, 'high null is not a number', 'drop the row'],
  },
  {
    fault: 'seconds among milliseconds in JSON',
    path: JSON_FILE,
    content: json(row(0), `${T / 1_000},10,12,9,11,5`),
    says: [`${JSON_FILE}: row 2`, 'changes the unit'],
  },
  {
    fault: 'a zero price in JSON',
    path: JSON_FILE,
    content: json(row(0, '0,0,0,0,5')),
    says: [`${JSON_FILE}: row 1`, 'low 0 is not above 0'],
  },
  {
    fault: 'an unknown binary format',
    path: 'BTCUSDT-1m.h5',
    content: '\x89HDF\r\n\x1a\n\0\0',
    says: ['BTCUSDT-1m.h5', 'unknown format', 'csv, json, parquet'],
  },
  {
    fault: 'funding in percent',
    path: 'btcusdt-funding-2025.csv',
    content: `time,rate\n${T},1.25\n`,
    says: ['btcusdt-funding-2025.csv:2', 'rate 1.25 is no fraction', 'divide percentages by 100'],
  },
  {
    fault: 'funding without a rate',
    path: 'btcusdt-funding-2025.csv',
    content: `time,value\n${T},0.0001\n`,
    says: ['btcusdt-funding-2025.csv', 'the rate of the funding is missing', '--columns rate=NAME'],
  },
  {
    fault: 'unsorted funding',
    path: 'btcusdt-funding-2025.csv',
    content: `time,rate\n${T},0.0001\n${T - 28_800_000},0.0001\n`,
    says: ['btcusdt-funding-2025.csv:3', 'is not after', '--sort'],
  },
  {
    fault: 'a cut row of funding',
    path: 'btcusdt-funding-2025.csv',
    content: `time,rate\n${T}`,
    says: ['btcusdt-funding-2025.csv:2', '1 of 2 cells', 'cut off'],
  },
];

test.each(FILES)(
  'a file with $fault is refused by one message with its place, cause and mend',
  async ({ path = CSV, content, options = {}, checksum, says }) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    const beside = checksum === undefined ? {} : { checksum: Buffer.from(checksum) };
    const reading = readForeign({ path, bytes, ...beside }, options);
    const error: unknown = await reading.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CandleFileError);
    const { message } = error as CandleFileError;
    expect(message.split('\n')).toHaveLength(1);
    let from = 0;
    for (const part of says) {
      expect(message.slice(from)).toContain(part);
      from = message.indexOf(part, from) + part.length;
    }
  },
);
