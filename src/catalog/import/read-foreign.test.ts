import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { zipOf } from '../../../test/support/builders/zip.js';
import type { ForeignCandles, ForeignFunding, ForeignOptions } from './foreign-file.js';
import { readForeign } from './read-foreign.js';

const START = Date.UTC(2025, 0, 1);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function read(path: string, bytes: Uint8Array, options: ForeignOptions = {}) {
  const [series] = await readForeign({ path, bytes }, options);
  return series as ForeignCandles;
}
async function readRates(path: string, bytes: Uint8Array, options: ForeignOptions = {}) {
  const [series] = await readForeign({ path, bytes }, options);
  return series as ForeignFunding;
}

/** The two candles that each of the files below holds. */
const CANDLES = [
  { openTime: START, open: 93576, high: 93702.15, low: 93489.03, close: 93656.18, volume: 78.5 },
  {
    openTime: START + 300_000,
    open: 93656.18,
    high: 93700,
    low: 93500.5,
    close: 93600,
    volume: 0.001,
  },
];
const rowsWith = (time: (ms: number) => string | number, delimiter = ','): string =>
  CANDLES.map(({ openTime, open, high, low, close, volume }) =>
    [time(openTime), open, high, low, close, volume].join(delimiter),
  ).join('\n');
const iso = (ms: number): string => new Date(ms).toISOString();
const BINANCE = 'open_time,open,high,low,close,volume,close_time,quote_volume,count,ignore\n';
const binanceRows = (factor: number): string =>
  rowsWith((ms) => ms * factor).replace(/$/gm, ',1,2,3,0');

const ALL = { symbol: 'BTCUSDT', interval: '5m', kind: 'klines' } as const;
test.each<{ name: string; path: string; text: string | Uint8Array; unit: string }>([
  {
    name: 'CSV with a header',
    path: 'btcusdt-5m-2025.csv',
    text: `open_time,open,high,low,close,volume\n${rowsWith((ms) => ms / 1_000)}\n`,
    unit: 's',
  },
  {
    name: 'gzip of CSV without a header',
    path: 'BTCUSDT_5m.csv.gz',
    text: gzipSync(rowsWith((ms) => ms)),
    unit: 'ms',
  },
  {
    name: 'CSV with semicolons, quotes, CRLF and names of another program',
    path: 'data/BTC-USDT 5m.csv',
    text: `"Date";"Open Price";"High";"Low";"Close";"Vol"\r\n${rowsWith((ms) => `"${iso(ms).slice(0, 19).replace('T', ' ')}"`, ';').replace(/\n/g, '\r\n')}\r\n`,
    unit: 'iso',
  },
  {
    name: 'CSV with tabs and comments above the header',
    path: 'btcusdt-5m.csv',
    text: `# exported by me\nhttps://www.cryptodatadownload.com/\nUnix\tDate\tSymbol\tOpen\tHigh\tLow\tClose\tVolume BTC\tVolume USDT\n${CANDLES.map((c) => [c.openTime, iso(c.openTime), 'BTC/USDT', c.open, c.high, c.low, c.close, c.volume, 5].join('\t')).join('\n')}`,
    unit: 'ms',
  },
  {
    name: 'the TradingView export',
    path: 'BINANCE_BTCUSDT.P, 5_c1b3a.csv',
    text: `time,open,high,low,close,Volume,Volume MA\n${rowsWith((ms) => ms / 1_000).replace(/$/gm, ',1')}`,
    unit: 's',
  },
  {
    name: 'the Binance archive with a header',
    path: 'BTCUSDT-5m-2025-01.zip',
    text: zipOf({ 'BTCUSDT-5m-2025-01.csv': `${BINANCE}${binanceRows(1)}\n` }),
    unit: 'ms',
  },
  {
    name: 'the Binance archive without a header, in microseconds',
    path: 'spot/BTCUSDT-5m-2025-01.zip',
    text: zipOf({ 'BTCUSDT-5m-2025-01.csv': `${binanceRows(1_000)}\n` }),
    unit: 'us',
  },
  {
    name: 'CCXT and freqtrade JSON',
    path: 'BTC_USDT_USDT-5m-futures.json',
    text: `[${rowsWith((ms) => ms)
      .split('\n')
      .map((row) => `[${row}]`)
      .join(',')}]`,
    unit: 'ms',
  },
  {
    name: 'gzip of JSON',
    path: 'BTC_USDT_USDT-5m-futures.json.gz',
    text: gzipSync(JSON.stringify(CANDLES.map((candle) => Object.values(candle)))),
    unit: 'ms',
  },
  {
    name: 'JSON of objects with decimal texts',
    path: 'BTCUSDT-5m.json',
    text: JSON.stringify(
      CANDLES.map(({ openTime, ...prices }) => ({
        t: iso(openTime),
        ...Object.fromEntries(Object.entries(prices).map(([key, value]) => [key, String(value)])),
      })),
    ),
    unit: 'iso',
  },
])('$name is read with its columns, unit, symbol and interval', async ({ path, text, unit }) => {
  const series = await read(path, typeof text === 'string' ? bytesOf(text) : text);
  expect(series).toMatchObject({ ...ALL, form: { timeUnit: unit } });
  expect([...Array(series.columns.length).keys()].map((row) => series.columns.at(row))).toEqual(
    CANDLES,
  );
});

test('columns and units that the user names come before those of the header', async () => {
  const text = `When,Price1,close,open,Price4,Size\n${CANDLES.map((c) => [c.openTime * 1e6, c.open, c.high, c.low, c.close, c.volume].join(',')).join('\n')}`;
  const series = await read('own.csv', bytesOf(text), {
    symbol: 'BTCUSDT',
    timeUnit: 'ns',
    columns: new Map<string, string | number>([
      ['open_time', 'when'],
      ['open', 'Price1'],
      ['high', 2],
      ['low', 'OPEN'],
      ['close', 'Price4'],
      ['volume', 5],
    ]),
  });
  expect(series.form.columns).toBe(
    'open_time=When, open=Price1, high=close, low=open, close=Price4, volume=Size',
  );
  expect(series.columns.at(1)).toEqual(CANDLES[1]);
});

test('candles of the mark price are told from the folder, and need no volume', async () => {
  const series = await read(
    'um/monthly/markPriceKlines/BTCUSDT/5m/BTCUSDT-5m-2025-01.zip',
    zipOf({ 'BTCUSDT-5m-2025-01.csv': `${BINANCE}${binanceRows(1)}\n` }),
  );
  expect(series.kind).toBe('mark-klines');
  const own = await read(
    'btcusdt-mark-5m-2025.csv',
    bytesOf(`open_time,open,high,low,close\n${START},3,4,2,3\n`),
  );
  expect(own).toMatchObject({ kind: 'mark-klines', interval: '5m' });
});

test('a funding archive keeps its real intervals, and its settlements lie on the full hour', async () => {
  const hours = [0, 8, 12, 13];
  const intervals = [8, 8, 4, 1];
  const rows = hours.map(
    (hour, at) => `${START + hour * 3_600_000 + at},${intervals[at]},0.0001${at}`,
  );
  const { kind, columns } = await readRates(
    'BTCUSDT-fundingRate-2025-01.zip',
    zipOf({
      'BTCUSDT-fundingRate-2025-01.csv': `calc_time,funding_interval_hours,last_funding_rate\n${rows.join('\n')}\n`,
    }),
  );
  expect(kind).toBe('funding');
  expect([...columns.time]).toEqual(hours.map((hour) => START + hour * 3_600_000));
  expect([...columns.rate]).toEqual([0.0001, 0.00011, 0.00012, 0.00013]);
  expect([...columns.intervalMs].map((ms) => ms / 3_600_000)).toEqual([8, 8, 4, 1]);
});

test('funding without intervals gets them from its stamps, except after a gap', async () => {
  const hours = [0, 8, 12, 13, 45];
  const rows = hours.map((hour) => `${START / 1_000 + hour * 3_600},-0.0002`).join('\n');
  const { columns } = await readRates('btcusdt-funding-2025.csv', bytesOf(`time,rate\n${rows}\n`));
  expect([...columns.intervalMs].map((ms) => ms / 3_600_000)).toEqual([0, 8, 4, 1, 0]);
});

const FIXTURES = 'test/fixtures/feather';

test('a Feather file of freqtrade, packed with LZ4, is read with its symbol, kind and interval', async () => {
  const name = 'AVAX_USDT_USDT-1d-futures.feather';
  const series = await read(`data/${name}`, readFileSync(`${FIXTURES}/${name}`));
  expect(series).toMatchObject({ symbol: 'AVAXUSDT', interval: '1d', kind: 'klines' });
  expect(series.columns.length).toBeGreaterThan(20);
  expect(series.columns.openTime[0]).toBe(Date.parse(FIRST_DAY));
});
const FIRST_DAY = '2025-03-17T00:00:00Z';

test('a Feather file of funding has the rate in its column open', async () => {
  const name = 'ALGO_USDT_USDT-8h-funding_rate.feather';
  const series = await readRates(`data/${name}`, readFileSync(`${FIXTURES}/${name}`));
  expect(series).toMatchObject({ symbol: 'ALGOUSDT', kind: 'funding' });
  expect(series.form.columns).toBe('time=date, rate=open');
  expect(Math.max(...series.columns.rate.map(Math.abs))).toBeLessThan(0.01);
});

test('a checksum beside the file is verified and kept', async () => {
  const bytes = zipOf({ 'BTCUSDT-5m-2025-01.csv': `${BINANCE}${binanceRows(1)}\n` });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = 'BTCUSDT-5m-2025-01.zip';
  const checksum = bytesOf(`${sha256}  ${path}\n`);
  const [series] = await readForeign({ path, bytes, checksum }, {});
  expect(series?.checksum).toEqual({ sha256, isVerified: true });
});

test('unsorted rows and rows repeated without a difference are mended on request', async () => {
  const [first = '', second = ''] = rowsWith((ms) => ms).split('\n');
  const text = [second, first, second].join('\n');
  const series = await read('btcusdt-5m.csv', bytesOf(text), { isSorting: true });
  expect([series.columns.at(0), series.columns.at(1)]).toEqual(CANDLES);
  expect(series.warnings).toEqual(['btcusdt-5m.csv: 1 repeated row was dropped']);
});
