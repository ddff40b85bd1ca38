import { describe, expect, test } from 'vitest';
import {
  openTestSandbox,
  START,
  type TestSandbox,
} from '../../../test/support/rigs/test-sandbox.js';

const KLINE = '/fapi/v1/price/kline';
const FROM = START / 1_000 - 600;
const TO = START / 1_000;
const RANGE = `start_time=${FROM}&end_time=${TO}`;

type Ticks = Record<string, number[][]>;
const ticks = async (testSandbox: TestSandbox, query: string, path = KLINE): Promise<Ticks> =>
  ((await testSandbox.data('GET', `${path}?${query}`)) as { asset_ticks: Ticks }).asset_ticks;

describe('klines', () => {
  test('klines need no key and are positional numbers, ascending, under lower-case pairs', async () => {
    const { call } = openTestSandbox();
    const query = `assets=BTC%2FUSDT,eth/usdt&aggregation=1m&${RANGE}`;
    const { status, json } = await call('GET', `${KLINE}?${query}`, undefined, {});
    expect(status).toBe(200);
    const { asset_ticks: found } = (json as { data: { asset_ticks: Ticks } }).data;
    expect(Object.keys(found)).toEqual(['btc/usdt', 'eth/usdt']);
    const rows = found['btc/usdt'] ?? [];
    expect(rows.map((row) => row[0])).toEqual(
      Array.from({ length: 10 }, (_, index) => FROM + index * 60),
    );
    for (const row of rows) expect(row).toHaveLength(6);
  });

  test('klines of the mark price have five elements and default to one minute', async () => {
    const testSandbox = openTestSandbox();
    const found = await ticks(testSandbox, `assets=btc/usdt&${RANGE}`, '/fapi/v1/price/mark-kline');
    expect(found['btc/usdt']).toHaveLength(10);
    expect(found['btc/usdt']?.[0]).toHaveLength(5);
  });

  test('klines include both ends and only closed minutes', async () => {
    const testSandbox = openTestSandbox();
    const query = `assets=btc/usdt&aggregation=1m&start_time=${TO - 120}&end_time=${TO + 60}`;
    expect((await ticks(testSandbox, query))['btc/usdt']).toHaveLength(2);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 59_999 });
    expect((await ticks(testSandbox, query))['btc/usdt']).toHaveLength(2);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 1 });
    expect((await ticks(testSandbox, query))['btc/usdt']).toHaveLength(3);
    const early = `assets=btc/usdt&aggregation=1m&start_time=${TO - 120}&end_time=${TO - 60}`;
    expect((await ticks(testSandbox, early))['btc/usdt']).toHaveLength(2);
  });

  test.each(['1m', '3t', '5t', '10t', '15t', '30t', '1h', '4h', '6h', '12h', '1d', '1w', '1mth'])(
    'klines exist for aggregation %s',
    async (aggregation) => {
      const testSandbox = openTestSandbox();
      const query = `assets=btc/usdt&aggregation=${aggregation}&start_time=${TO - 86_400 * 70}&end_time=${TO}`;
      const rows = (await ticks(testSandbox, query))['btc/usdt'] ?? [];
      expect(rows.length).toBeGreaterThanOrEqual(2);
      expect(rows.length).toBeLessThanOrEqual(1_440);
      rows.slice(1).forEach((row, index) => {
        expect(row[1]).toBe(rows[index]?.[4]);
      });
    },
  );

  test('unknown or invalid pairs are omitted as long as one pair remains', async () => {
    const testSandbox = openTestSandbox();
    const found = await ticks(
      testSandbox,
      `assets=btc/usdt,nope/usdt,btcusdt&aggregation=1m&${RANGE}`,
    );
    expect(Object.keys(found)).toEqual(['btc/usdt']);
  });

  test.each([
    ['', 400, 'assets are required'],
    [`assets=&aggregation=1m&${RANGE}`, 400, 'assets are required'],
    [
      `assets=${Array.from({ length: 26 }, () => 'btc/usdt').join(',')}`,
      400,
      'allowed assets size is 25',
    ],
    [`assets=btc/usdt&${RANGE}`, 400, 'aggregation not supported'],
    [`assets=btc/usdt&aggregation=3m&${RANGE}`, 400, 'aggregation not supported'],
    ['assets=btc/usdt&aggregation=1m', 400, 'start and end time should be greater than 0'],
    [
      'assets=btc/usdt&aggregation=1m&start_time=0&end_time=5',
      400,
      'start and end time should be greater than 0',
    ],
    [
      'assets=btc/usdt&aggregation=1m&start_time=x&end_time=5',
      400,
      'start and end time should be greater than 0',
    ],
    [
      'assets=btc/usdt&aggregation=1m&start_time=5&end_time=5',
      400,
      'end time should be greater than start time',
    ],
    [`assets=btcusdt&aggregation=1m&${RANGE}`, 400, 'invalid assets'],
    [`assets=nope/usdt&aggregation=1m&${RANGE}`, 404, 'asset not found'],
  ])('the query "%s" is answered with %i %s', async (query, status, text) => {
    expect(await openTestSandbox().refusal('GET', `${KLINE}?${query}`)).toEqual([status, text]);
  });

  test('klines show an overridden price from its minute on', async () => {
    const testSandbox = openTestSandbox();
    await testSandbox.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '70000' });
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 120_000 });
    const query = `assets=btc/usdt&aggregation=1m&start_time=${TO - 60}&end_time=${TO + 60}`;
    const [before, during, after] = (await ticks(testSandbox, query))['btc/usdt'] ?? [];
    expect(before?.[2]).toBeLessThan(70_000);
    expect([during?.[2], during?.[4]]).toEqual([70_000, 70_000]);
    expect(after?.slice(1, 5)).toEqual([70_000, 70_000, 70_000, 70_000]);
  });
});

describe('klines with the other answer', () => {
  const query = `assets=btc/usdt&aggregation=1m&${RANGE}`;

  test('an unsupported aggregation is named before the text', async () => {
    const testSandbox = openTestSandbox({ switches: { aggregationText: 'prefixed' } });
    const refusal = (aggregation: string) =>
      testSandbox.refusal('GET', `${KLINE}?assets=btc/usdt&${aggregation}${RANGE}`);
    expect(await refusal('aggregation=5x&')).toEqual([400, '5x aggregation not supported']);
    expect(await refusal('')).toEqual([400, 'aggregation not supported']);
  });

  test.each(['no/usdt', 'btcusdt'])('klines of only %s answer 200 without a key', async (asset) => {
    const testSandbox = openTestSandbox({ switches: { unknownKlineSymbol: 'empty-data' } });
    const { status, text } = await testSandbox.call(
      'GET',
      `${KLINE}?assets=${asset}&aggregation=1m&${RANGE}`,
    );
    expect([status, text]).toEqual([200, '{"success":true,"data":{}}']);
  });

  test('a running bucket is hidden', async () => {
    const hourly = `assets=btc/usdt&aggregation=1h&start_time=${TO - 3_600}&end_time=${TO + 3_600}`;
    const times = async (runningBucket: 'shown' | 'hidden') => {
      const testSandbox = openTestSandbox({ switches: { runningBucket } });
      await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 600_000 });
      return (await ticks(testSandbox, hourly))['btc/usdt']?.map(([time]) => time);
    };
    expect(await times('shown')).toEqual([TO - 3_600, TO]);
    expect(await times('hidden')).toEqual([TO - 3_600]);
  });

  test('a symbol without candles is an empty array', async () => {
    const later = `assets=btc/usdt&aggregation=1m&start_time=${TO + 600}&end_time=${TO + 660}`;
    expect(await ticks(openTestSandbox(), later)).toEqual({});
    const testSandbox = openTestSandbox({ switches: { emptyKlines: 'empty-array' } });
    expect(await ticks(testSandbox, later)).toEqual({ 'btc/usdt': [] });
  });

  test('the newest minute is some venue seconds late', async () => {
    const testSandbox = openTestSandbox({ switches: { minuteLagMs: 5_000 } });
    const count = async () => (await ticks(testSandbox, query))['btc/usdt']?.length;
    expect(await count()).toBe(9);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 4_999 });
    expect(await count()).toBe(9);
    await testSandbox.call('POST', '/sandbox/clock', { advance_ms: 1 });
    expect(await count()).toBe(10);
  });

  test('about one minute in fifty has only a close, always the same ones', async () => {
    const day = `assets=btc/usdt&aggregation=1m&start_time=${TO - 86_400}&end_time=${TO}`;
    const silent = async () => {
      const testSandbox = openTestSandbox({ switches: { silentCandle: 'zero-ohlc' } });
      const rows = (await ticks(testSandbox, day))['btc/usdt'] ?? [];
      return rows.filter(([, open, high, low, close = 0, volume]) => {
        const isSilent = open === 0;
        if (isSilent) expect([high, low, volume, close > 0]).toEqual([0, 0, 0, true]);
        return isSilent;
      });
    };
    const rows = await silent();
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.length).toBeLessThan(50);
    expect(await silent()).toEqual(rows);
  });
});

test('klines answer at most 1,440 daily candles of 25 symbols', async () => {
  const testSandbox = openTestSandbox();
  const symbols = testSandbox.sandbox.symbols.map((symbol) => symbol.replace('USDT', '/usdt'));
  const range = `aggregation=1d&start_time=1&end_time=${TO}`;
  const found = await ticks(testSandbox, `assets=${symbols.slice(0, 3).join(',')}&${range}`);
  expect(Object.values(found).map((rows) => rows.length)).toEqual([1_440, 1_440, 1_440]);
  const tooMany = Array.from({ length: 26 }, () => 'btc/usdt').join(',');
  const refusal = await testSandbox.refusal('GET', `${KLINE}?assets=${tooMany}&${range}`);
  expect(refusal).toEqual([400, 'allowed assets size is 25']);
});

test('more than 300 kline requests a minute from one address are refused', async () => {
  const testSandbox = openTestSandbox({ limits: true });
  const readKlines = () =>
    testSandbox.call('GET', `${KLINE}?assets=btc/usdt&aggregation=1m&${RANGE}`, undefined, {});
  for (let request = 0; request < 300; request += 1) expect((await readKlines()).status).toBe(200);
  const refused = await readKlines();
  expect([refused.status, refused.text]).toEqual([
    429,
    '{"success":false,"errors":[{"code":429,"text":"Rate limit exceeded"}]}',
  ]);
  await testSandbox.time.advance(60_000);
  expect((await readKlines()).status).toBe(200);
});
