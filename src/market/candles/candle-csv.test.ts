import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CandleFileError, parseCandleCsv } from './candle-csv.js';
import { DecimalScanner } from './decimal-scanner.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const HEADER = 'open_time,open,high,low,close,volume';
const parse = (text: string) => parseCandleCsv(bytesOf(text), 'btc.csv');
const TWO = [
  {
    openTime: 1_577_836_800_000,
    open: 30000,
    high: 30017.31,
    low: 29992.81,
    close: 30007.3,
    volume: 6.44,
  },
  {
    openTime: 1_577_836_860_000,
    open: 30007.3,
    high: 30027.57,
    low: 29982.01,
    close: 29982.34,
    volume: 42.13,
  },
];
const ROW_1 = '1577836800,30000.00,30017.31,29992.81,30007.30,6.44';
const ROW_2 = '1577836860,30007.30,30027.57,29982.01,29982.34,42.13';

const SHUFFLED =
  'close,note,volume,open_time,low,high,open\n' +
  '30007.30,x y,6.44,1577836800,29992.81,30017.31,30000.00\n' +
  '29982.34,,42.13,1577836860,29982.01,30027.57,30007.30\n';

test.each([
  { name: 'plain', text: `${HEADER}\n${ROW_1}\n${ROW_2}\n` },
  { name: 'without a newline at the end', text: `${HEADER}\n${ROW_1}\n${ROW_2}` },
  { name: 'with CRLF', text: `${HEADER}\r\n${ROW_1}\r\n${ROW_2}\r\n` },
  { name: 'with blank lines', text: `${HEADER}\n\n${ROW_1}\n\r\n${ROW_2}\n\n` },
  { name: 'with a byte order mark', text: `\uFEFF${HEADER}\n${ROW_1}\n${ROW_2}\n` },
  { name: 'with columns in another order, and others', text: SHUFFLED },
  { name: 'with quotes', text: `${HEADER}\n${ROW_1}\n${ROW_2}`.replace(/[^,\n]+/g, '"$&"') },
  { name: 'with semicolons', text: `${HEADER}\n${ROW_1}\n${ROW_2}`.replaceAll(',', ';') },
  { name: 'without a header', text: `${ROW_1}\n${ROW_2}` },
  {
    name: 'in microseconds',
    text: `${HEADER}\n${ROW_1}\n${ROW_2}`.replace(/^(15\d+),/gm, '$1000000,'),
  },
  { name: 'with spaces around cells', text: `${HEADER}\n ${ROW_1} \n${ROW_2.replace(/,/g, ', ')}` },
  {
    name: 'in milliseconds under the name timestamp',
    text: `${HEADER}\n${ROW_1}\n${ROW_2}`
      .replace('open_time', 'Timestamp')
      .replace(/^(15\d+),/gm, '$1000,'),
  },
])('a file $name reads as the same two candles', ({ text }) => {
  const columns = parse(text);
  expect(columns.length).toBe(2);
  expect([columns.at(0), columns.at(1)]).toEqual(TWO);
});

test('gzip is recognized by its first bytes', () => {
  const packed = gzipSync(bytesOf(`${HEADER}\n${ROW_1}\n${ROW_2}\n`));
  expect(parseCandleCsv(packed, 'btc.csv.gz').at(1)).toEqual(TWO[1]);
});

test('a mark-price file needs no volume if the caller allows it', () => {
  const text = 'open_time,open,high,low,close\n1577836800,3,4,2,3\n';
  const columns = parseCandleCsv(bytesOf(text), 'mark.csv', { volume: 'optional' });
  expect(columns.at(0)).toMatchObject({ close: 3, volume: 0 });
  expect(() => parse(text)).toThrow('btc.csv:1: volume is missing');
});

describe('a refused file', () => {
  const good = `${HEADER}\n${ROW_1}\n`;
  test.each([
    { what: 'no content', text: '', message: 'btc.csv: the file is empty' },
    { what: 'a header only', text: HEADER, message: 'no candle below the header' },
    {
      what: 'a missing column',
      text: 'open_time,open,high,low,volume\n',
      message: 'btc.csv:1: close is missing: the header is "open_time,open,high,low,volume"',
    },
    {
      what: 'a line without a separator',
      text: HEADER.replaceAll(',', ' '),
      message: 'btc.csv: its first lines hold no table',
    },
    {
      what: 'two columns of one name',
      text: `${HEADER},Close\n`,
      message: 'btc.csv:1: close is twice in the header',
    },
    {
      what: 'a cell that is not a number',
      text: `${good}1577836860,30007.30,n/a,1,1,1\n`,
      message: 'btc.csv:3: high "n/a" is not a number: write a plain decimal number',
    },
    {
      what: 'an empty cell',
      text: `${good}1577836860,30007.30,,1,1,1\n`,
      message: 'btc.csv:3: high "" is not a number',
    },
    {
      what: 'a number with a tail',
      text: `${good}1577836860,3x,1,1,1,1\n`,
      message: 'open "3x" is not a number',
    },
    {
      what: 'a hex number',
      text: `${good}1577836860,0x10,1,1,1,1\n`,
      message: '"0x10" is not a number',
    },
    {
      what: 'an infinite number',
      text: `${good}1577836860,1,1e999,1,1,1\n`,
      message: '"1e999" is not',
    },
    {
      what: 'a time of the day alone',
      text: `${good}00:01,1,1,1,1,1\n`,
      message: 'open_time "00:01" is not a number: write epoch seconds',
    },
    {
      what: 'a date that does not exist',
      text: `${HEADER}\n2020-02-30,1,1,1,1,1\n`,
      message: 'btc.csv:2: open_time "2020-02-30" is not a number: write epoch seconds',
    },
    {
      what: 'a fraction of a millisecond',
      text: `${HEADER}\n1577836800.0005,1,1,1,1,1\n`,
      message: 'open_time 1577836800.0005 is not a time',
    },
    {
      what: 'a negative time',
      text: `${HEADER}\n-1577836800,1,1,1,1,1\n`,
      message: 'is not a time',
    },
    {
      what: 'a change of unit',
      text: `${good}1577836860000,1,1,1,1,1\n`,
      message: 'changes the unit',
    },
    {
      what: 'a high below low',
      text: `${good}1577836860,5,4,6,5,1\n`,
      message: 'btc.csv:3: high 4 is below low 6',
    },
    {
      what: 'a high below close',
      text: `${good}1577836860,5,6,4,7,1\n`,
      message: 'high 6 is below open 5 or close 7',
    },
    {
      what: 'a low above open',
      text: `${good}1577836860,3,6,4,5,1\n`,
      message: 'low 4 is above open 3 or close 5',
    },
    {
      what: 'a zero price',
      text: `${good}1577836860,0,6,0,5,1\n`,
      message: 'low 0 is not above 0',
    },
    {
      what: 'a price that no venue prints',
      text: `${good}1577836860,5,1e300,4,5,1\n`,
      message: 'high 1e+300 is above 1000000000000000',
    },
    {
      what: 'a negative volume',
      text: `${good}1577836860,5,6,4,5,-1\n`,
      message: 'volume -1 is negative',
    },
    {
      what: 'a repeated time',
      text: `${good}${ROW_1}\n`,
      message: 'btc.csv:3: open_time 2020-01-01T00:00:00.000Z occurs twice',
    },
    {
      what: 'a time that goes back',
      text: `${HEADER}\n${ROW_2}\n${ROW_1}\n`,
      message: 'is not after 2020-01-01T00:01:00.000Z of the row before: sort the rows by time',
    },
    {
      what: 'a truncated row',
      text: `${good}1577836860,30007.30`,
      message: 'btc.csv:3: high is missing: the row has 2 of 6 cells; is the file cut off?',
    },
    {
      what: 'a row with too many cells',
      text: `${good}${ROW_2},9\n`,
      message: "btc.csv:3: row has more cells than the header's 6",
    },
    {
      what: 'an error after blank lines',
      text: `${HEADER}\n\n${ROW_1}\n\nx,1,1,1,1,1`,
      message: 'btc.csv:5: open_time "x"',
    },
  ])('a file with $what is refused with its place and cause', ({ text, message }) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(CandleFileError);
  });

  test('a truncated gzip is refused', () => {
    const packed = gzipSync(bytesOf(`${good}`));
    const cut = packed.subarray(0, packed.length - 9);
    expect(() => parseCandleCsv(cut, 'btc.csv.gz')).toThrow(CandleFileError);
    expect(() => parseCandleCsv(cut, 'btc.csv.gz')).toThrow('is it cut off?');
  });
});

test('every number is exactly Number(text)', () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 26 }))
    .map(([digits, places]) => {
      const text = digits.toString().padStart(places + 1, '0');
      return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
    });
  const short = fc
    .tuple(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 0, max: 9 }))
    .map(([digits, places]) => (digits / 10 ** places).toFixed(places));
  const written = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `${value}`);
  fc.assert(
    fc.property(fc.oneof(decimals, short, written), fc.constantFrom('', '-'), (text, sign) => {
      const signed = text.startsWith('-') ? text : sign + text;
      const scanner = new DecimalScanner(bytesOf(`x,${signed},1`));
      expect(Object.is(scanner.read(2), Number(signed))).toBe(true);
      expect(scanner.end).toBe(2 + signed.length);
    }),
    { numRuns: 3_000 },
  );
});

test('candles written to CSV are read back unchanged', () => {
  const price = fc.double({ min: 1e-6, max: 1e7, noNaN: true });
  const row = fc.tuple(price, price, price, price, fc.double({ min: 0, max: 1e9, noNaN: true }));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 50 }), (rows) => {
      const candles = rows.map(([a, b, c, d, volume], index) => {
        const [low, open, close, high] = [a, b, c, d].sort((x, y) => x - y) as [
          number,
          number,
          number,
          number,
        ];
        return { openTime: 1_700_000_000_000 + index * 60_000, open, high, low, close, volume };
      });
      const lines = candles.map(
        ({ openTime, open, high, low, close, volume }) =>
          `${openTime / 1_000},${open},${high},${low},${close},${volume}`,
      );
      const columns = parse([HEADER, ...lines].join('\n'));
      expect(candles.map((_, index) => columns.at(index))).toEqual(candles);
    }),
    { numRuns: 100 },
  );
});
