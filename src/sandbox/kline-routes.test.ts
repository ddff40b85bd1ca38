import { describe, expect, test } from 'vitest';
import { openTestSandbox, START, type TestSandbox } from '../../test/harness/test-sandbox.js';

const KLINE = '/fapi/v1/price/kline';
const FROM = START / 1_000 - 600;
const TO = START / 1_000;
const RANGE = `start_time=${FROM}&end_time=${TO}`;

type Ticks = Record<string, number[][]>;
const ticks = async (desk: TestSandbox, query: string, path = KLINE): Promise<Ticks> =>
  ((await desk.data('GET', `${path}?${query}`)) as { asset_ticks: Ticks }).asset_ticks;

describe('klines', () => {
  test('need no key and come as positional numbers, ascending, under lower-case pairs', async () => {
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

  test('of the mark price have five elements and default to one minute', async () => {
    const desk = openTestSandbox();
    const found = await ticks(desk, `assets=btc/usdt&${RANGE}`, '/fapi/v1/price/mark-kline');
    expect(found['btc/usdt']).toHaveLength(10);
    expect(found['btc/usdt']?.[0]).toHaveLength(5);
  });

  test('include both ends and only closed minutes', async () => {
    const desk = openTestSandbox();
    const query = `assets=btc/usdt&aggregation=1m&start_time=${TO - 120}&end_time=${TO + 60}`;
    expect((await ticks(desk, query))['btc/usdt']).toHaveLength(2);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 59_999 });
    expect((await ticks(desk, query))['btc/usdt']).toHaveLength(2);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 1 });
    expect((await ticks(desk, query))['btc/usdt']).toHaveLength(3);
    const early = `assets=btc/usdt&aggregation=1m&start_time=${TO - 120}&end_time=${TO - 60}`;
    expect((await ticks(desk, early))['btc/usdt']).toHaveLength(2);
  });

  test.each(['1m', '3t', '5t', '10t', '15t', '30t', '1h', '4h', '6h', '12h', '1d', '1w', '1mth'])(
    'come in aggregation %s',
    async (aggregation) => {
      const desk = openTestSandbox();
      const query = `assets=btc/usdt&aggregation=${aggregation}&start_time=${TO - 86_400 * 70}&end_time=${TO}`;
      const rows = (await ticks(desk, query))['btc/usdt'] ?? [];
      expect(rows.length).toBeGreaterThanOrEqual(2);
      expect(rows.length).toBeLessThanOrEqual(1_440);
      rows.slice(1).forEach((row, index) => {
        expect(row[1]).toBe(rows[index]?.[4]);
      });
    },
  );

  test('leave out what is unknown or invalid as long as something is left', async () => {
    const desk = openTestSandbox();
    const found = await ticks(desk, `assets=btc/usdt,nope/usdt,btcusdt&aggregation=1m&${RANGE}`);
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
  ])('answer "%s" with %i %s', async (query, status, text) => {
    expect(await openTestSandbox().refusal('GET', `${KLINE}?${query}`)).toEqual([status, text]);
  });

  test('show a price moved by hand from its minute on', async () => {
    const desk = openTestSandbox();
    await desk.call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '70000' });
    await desk.call('POST', '/sandbox/clock', { advance_ms: 120_000 });
    const query = `assets=btc/usdt&aggregation=1m&start_time=${TO - 60}&end_time=${TO + 60}`;
    const [before, during, after] = (await ticks(desk, query))['btc/usdt'] ?? [];
    expect(before?.[2]).toBeLessThan(70_000);
    expect([during?.[2], during?.[4]]).toEqual([70_000, 70_000]);
    expect(after?.slice(1, 5)).toEqual([70_000, 70_000, 70_000, 70_000]);
  });
});

describe('klines, with the other answer', () => {
  const query = `assets=btc/usdt&aggregation=1m&${RANGE}`;

  test('name an unsupported aggregation before the text', async () => {
    const desk = openTestSandbox({ switches: { aggregationText: 'prefixed' } });
    const refusal = (aggregation: string) =>
      desk.refusal('GET', `${KLINE}?assets=btc/usdt&${aggregation}${RANGE}`);
    expect(await refusal('aggregation=5x&')).toEqual([400, '5x aggregation not supported']);
    expect(await refusal('')).toEqual([400, 'aggregation not supported']);
  });

  test.each(['no/usdt', 'btcusdt'])(
    'know nothing of %s alone: 200 without a key',
    async (asset) => {
      const desk = openTestSandbox({ switches: { unknownKlineSymbol: 'empty-data' } });
      const { status, text } = await desk.call(
        'GET',
        `${KLINE}?assets=${asset}&aggregation=1m&${RANGE}`,
      );
      expect([status, text]).toEqual([200, '{"success":true,"data":{}}']);
    },
  );

  test('hide a bucket in progress', async () => {
    const hourly = `assets=btc/usdt&aggregation=1h&start_time=${TO - 3_600}&end_time=${TO + 3_600}`;
    const times = async (runningBucket: 'shown' | 'hidden') => {
      const desk = openTestSandbox({ switches: { runningBucket } });
      await desk.call('POST', '/sandbox/clock', { advance_ms: 600_000 });
      return (await ticks(desk, hourly))['btc/usdt']?.map(([time]) => time);
    };
    expect(await times('shown')).toEqual([TO - 3_600, TO]);
    expect(await times('hidden')).toEqual([TO - 3_600]);
  });

  test('show a symbol without candles as an empty array', async () => {
    const later = `assets=btc/usdt&aggregation=1m&start_time=${TO + 600}&end_time=${TO + 660}`;
    expect(await ticks(openTestSandbox(), later)).toEqual({});
    const desk = openTestSandbox({ switches: { emptyKlines: 'empty-array' } });
    expect(await ticks(desk, later)).toEqual({ 'btc/usdt': [] });
  });

  test('show the newest minute some venue seconds late', async () => {
    const desk = openTestSandbox({ switches: { minuteLagMs: 5_000 } });
    const count = async () => (await ticks(desk, query))['btc/usdt']?.length;
    expect(await count()).toBe(9);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 4_999 });
    expect(await count()).toBe(9);
    await desk.call('POST', '/sandbox/clock', { advance_ms: 1 });
    expect(await count()).toBe(10);
  });

  test('have a close alone about once in fifty minutes, always the same ones', async () => {
    const day = `assets=btc/usdt&aggregation=1m&start_time=${TO - 86_400}&end_time=${TO}`;
    const silent = async () => {
      const desk = openTestSandbox({ switches: { silentCandle: 'zero-ohlc' } });
      const rows = (await ticks(desk, day))['btc/usdt'] ?? [];
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

test('klines answer 1,440 daily candles of 25 symbols at most', async () => {
  const desk = openTestSandbox();
  const symbols = desk.sandbox.symbols.map((symbol) => symbol.replace('USDT', '/usdt'));
  const range = `aggregation=1d&start_time=1&end_time=${TO}`;
  const found = await ticks(desk, `assets=${symbols.slice(0, 3).join(',')}&${range}`);
  expect(Object.values(found).map((rows) => rows.length)).toEqual([1_440, 1_440, 1_440]);
  const tooMany = Array.from({ length: 26 }, () => 'btc/usdt').join(',');
  const refusal = await desk.refusal('GET', `${KLINE}?assets=${tooMany}&${range}`);
  expect(refusal).toEqual([400, 'allowed assets size is 25']);
});

test('more than 300 kline requests a minute from one address are too many', async () => {
  const desk = openTestSandbox({ limits: true });
  const ask = () =>
    desk.call('GET', `${KLINE}?assets=btc/usdt&aggregation=1m&${RANGE}`, undefined, {});
  for (let request = 0; request < 300; request += 1) expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect([refused.status, refused.text]).toEqual([
    429,
    '{"success":false,"errors":[{"code":429,"text":"Rate limit exceeded"}]}',
  ]);
  await desk.time.advance(60_000);
  expect((await ask()).status).toBe(200);
});
