import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeTimeOf, INTERVALS, openTimeOf } from '../../core/interval.js';
import type { HttpRequest, HttpResponse } from '../../core/ports.js';
import {
  constantRandom,
  memoryLogger,
  ManualTime,
} from '../../../test/support/fakes/manual-ports.js';
import { VenueError } from '../venue.js';
import { createFuturesApiVenue } from './futures-api-venue.js';
import { chunksOf } from './market-data-client.js';
import { Secret } from './http/secret.js';

const MINUTE = 60_000;
const START = Date.UTC(2025, 4, 5);

const asset = (symbol: string, fields: object = {}) => ({
  id: `id-${symbol}`,
  symbol,
  min_contract: '0.001',
  max_contract: '1500',
  quantity_step: '0.001',
  min_price: '0.1',
  max_price: '1999999.8',
  price_step: '0.1',
  max_market_contract: '150',
  min_notional_value: '5',
  leverage_step: '0.01',
  min_leverage: '1',
  max_leverage: '100',
  ...fields,
});

const ok = (data: unknown) => ({ success: true, data }) as const;

/** An answer, or the JSON body of a 200. */
type Respond = (url: URL) => Pick<HttpResponse, 'status' | 'body'> | { readonly success: true };

function setUp(respond: Respond, assets: readonly object[] = [asset('BTCUSDT')], pageSize = 1_000) {
  const sent: HttpRequest[] = [];
  const time = new ManualTime(START);
  const logger = memoryLogger();
  const list: Respond = (url) => {
    const offset = Number(url.searchParams.get('offset'));
    const limit = Math.min(pageSize, Number(url.searchParams.get('limit')));
    return ok(assets.slice(offset, offset + limit));
  };
  const venue = createFuturesApiVenue({
    baseUrl: 'https://api.example.com',
    wsUrl: 'wss://api.example.com',
    secret: new Secret('canary'),
    clock: time,
    scheduler: time,
    random: constantRandom(0),
    logger,
    venueTime: () => START + 30 * 1_440 * MINUTE,
    net: {
      request(request) {
        sent.push(request);
        const url = new URL(request.url);
        const isList = url.pathname === '/fapi/v1/futures';
        const answer = isList ? list(url) : respond(url);
        const whole = 'status' in answer ? answer : { status: 200, body: JSON.stringify(answer) };
        return Promise.resolve({ headers: {}, ...whole });
      },
      connect: () => expect.fail('no stream here'),
    },
  });
  const klines = () => sent.map(({ url }) => new URL(url)).filter(isKline);
  return { venue, sent, logger, klines, time };
}

const isKline = (url: URL): boolean => url.pathname === '/fapi/v1/price/kline';
const candleAt = (seconds: number) => [seconds, 1, 3, 0.5, 2, 7];

/** One-minute candles of the known pairs, end inclusive. */
const minutes =
  (...known: string[]): Respond =>
  (url) => {
    const from = Number(url.searchParams.get('start_time'));
    const to = Number(url.searchParams.get('end_time'));
    const rows: number[][] = [];
    for (let at = Math.ceil(from / 60) * 60; at <= to; at += 60) rows.push(candleAt(at));
    const assets = url.searchParams.get('assets')?.toLowerCase().split(',') ?? [];
    const ticks = assets.filter((pair) => known.includes(pair)).map((pair) => [pair, rows]);
    return ok({ asset_ticks: Object.fromEntries(ticks) as object });
  };

const range = (fromMs: number, toMs: number, symbol = 'BTCUSDT') =>
  ({ symbol, interval: '1m', fromMs, toMs }) as const;

describe('instruments', () => {
  it.each([100, 20])('all instruments are read from pages of %i', async (pageSize) => {
    const assets = Array.from({ length: 150 }, (_, index) => asset(`A${index}USDT`));
    const { venue, time, sent } = setUp(() => ok({}), assets, pageSize);
    const reading = venue.instruments();
    await time.advance(30_000);
    expect(await reading).toHaveLength(150);
    expect(sent[0]?.headers['x-authentication']).toBe('canary');
  });

  it.each([
    { symbols: ['A3USDT', 'A120USDT'], pages: 2, why: 'no page after the last requested one' },
    {
      symbols: ['A3USDT', 'NONEUSDT'],
      pages: 3,
      why: 'only the end of the list proves that one is missing',
    },
    { symbols: [], pages: 1, why: 'one page shows that the key is accepted' },
  ])('the symbols $symbols take $pages pages: $why', async ({ symbols, pages }) => {
    const assets = Array.from({ length: 150 }, (_, index) => asset(`A${index}USDT`));
    const { venue, sent } = setUp(() => ok({}), assets);
    const listed = (await venue.instruments(symbols)).map(({ symbol }) => symbol);
    expect(listed.filter((symbol) => symbols.includes(symbol))).toEqual(
      symbols.filter((symbol) => symbol !== 'NONEUSDT'),
    );
    expect(sent).toHaveLength(pages);
  });

  it('unreadable instruments are left out and logged', async () => {
    const odd = [asset('ODDUSDT', { price_step: '0' }), asset('BTCUSDC'), {}];
    const { venue, logger } = setUp(() => ok({}), [...odd, asset('BTCUSDT')]);
    expect((await venue.instruments()).map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(logger.lines.map(({ fields }) => fields['row'])).toEqual([
      'ODDUSDT',
      'BTCUSDC',
      'without a symbol',
    ]);
  });

  it('an empty list of instruments is a VenueError', async () => {
    await expect(setUp(() => ok({}), []).venue.instruments()).rejects.toThrow(VenueError);
  });
});

describe('candles', () => {
  it('candles are requested in chunks of 1440 without the secret, and are returned ascending', async () => {
    const { venue, klines, sent } = setUp(minutes('btc/usdt'));
    const candles = await venue.candles(range(START, START + 3_000 * MINUTE));
    expect(candles.map(({ openTime }) => openTime)).toEqual(
      Array.from({ length: 3_000 }, (_, index) => START + index * MINUTE),
    );
    const spans = klines().map((url) => {
      const [from, to] = ['start_time', 'end_time'].map((name) => url.searchParams.get(name));
      return (Number(to) + 1 - Number(from)) / 60;
    });
    expect(spans).toEqual([1_440, 1_440, 120]);
    expect(sent.every(({ headers }) => !('x-authentication' in headers))).toBe(true);
  });

  it('candles that are unclosed, out of range, duplicate, invalid or off the interval are dropped', async () => {
    const rows = [
      candleAt(START / 1_000 + 120),
      candleAt(START / 1_000 + 60),
      candleAt(START / 1_000 + 60),
      candleAt(START / 1_000 - 60),
      candleAt(START / 1_000 + 180), // closes at the end of the range + 1 minute
      candleAt(START / 1_000 + 61),
      [START / 1_000, 0, 0, 0, 2, 0],
      ['no row'],
    ];
    const { venue, logger } = setUp(() => ok({ asset_ticks: { 'btc/usdt': rows } }));
    const candles = await venue.candles(range(START, START + 3 * MINUTE));
    expect(candles.map(({ openTime }) => openTime - START)).toEqual([MINUTE, 2 * MINUTE]);
    expect(logger.lines).toHaveLength(3);
  });

  it('candles that close after the venue time are dropped', async () => {
    const { venue } = setUp(minutes('btc/usdt'));
    const now = START + 30 * 1_440 * MINUTE;
    const candles = await venue.candles(range(now - 3 * MINUTE, now + 3 * MINUTE));
    expect(candles).toHaveLength(3);
  });

  it('one call reads the same span of many symbols', async () => {
    const symbols = Array.from({ length: 30 }, (_, index) => `A${index}USDT`);
    const pairs = symbols.map((symbol) => symbol.toLowerCase().replace('usdt', '/usdt'));
    const { venue, klines } = setUp(minutes(...pairs));
    const all = await Promise.all(
      symbols.map((symbol) => venue.candles(range(START, START + 5 * MINUTE, symbol))),
    );
    expect(all.every((candles) => candles.length === 5)).toBe(true);
    const sizes = klines().map((url) => url.searchParams.get('assets')?.split(',').length);
    expect(sizes).toEqual([25, 5]);
  });

  it('only the request for an unlisted symbol fails, with an error that names it', async () => {
    const { venue } = setUp(minutes('btc/usdt'));
    const good = venue.candles(range(START, START + 5 * MINUTE));
    const bad = venue.candles(range(START, START + 5 * MINUTE, 'TYPOUSDT'));
    await expect(bad).rejects.toThrow(new VenueError('The venue does not list TYPOUSDT'));
    expect(await good).toHaveLength(5);
  });

  it('a listed symbol without history has no candles', async () => {
    const { venue } = setUp(() => ok({}));
    expect(await venue.candles(range(START, START + 5 * MINUTE))).toEqual([]);
  });

  it.each([
    [400, 'invalid assets'],
    [404, 'asset not found'],
  ])('other symbols are read when one symbol fails the call with %i "%s"', async (status, text) => {
    const known = minutes('btc/usdt');
    const failure = JSON.stringify({ success: false, errors: [{ code: null, text }] });
    const { venue } = setUp((url) =>
      url.searchParams.get('assets')?.includes('TYPO') === true
        ? { status, body: failure }
        : known(url),
    );
    const bad = venue.candles(range(START, START + 5 * MINUTE, 'TYPOUSDT'));
    const good = venue.candles(range(START, START + 5 * MINUTE));
    await expect(bad).rejects.toThrow('The venue does not list TYPOUSDT');
    expect(await good).toHaveLength(5);
  });

  it('the 24 other symbols are read in halves when one symbol fails the call', async () => {
    const symbols = Array.from({ length: 24 }, (_, index) => `A${index}USDT`);
    symbols.splice(17, 0, 'BADUSDT');
    const known = minutes(
      ...symbols.map((symbol) => symbol.toLowerCase().replace('usdt', '/usdt')),
    );
    const failure = '{"success":false,"errors":[{"code":404,"text":"asset not found"}]}';
    const { venue, klines, time } = setUp((url) =>
      url.searchParams.get('assets')?.includes('BAD') === true
        ? { status: 404, body: failure }
        : known(url),
    );
    const reading = symbols.map((symbol) =>
      venue.candles(range(START, START + 5 * MINUTE, symbol)).then(
        (candles) => candles.length,
        (error: unknown) => String(error),
      ),
    );
    await time.advance(60_000);
    const counts = await Promise.all(reading);
    expect(counts.filter((count) => count === 5)).toHaveLength(24);
    expect(counts[17]).toContain('The venue does not list BADUSDT');
    // 25, then two halves of each failed call, down to one name.
    expect(klines().length).toBeLessThanOrEqual(1 + 2 * 5);
  });

  it('mark price candles come from their own path, without volume', async () => {
    const mark = [START / 1_000, 1, 3, 0.5, 2];
    const { venue, sent } = setUp(() => ok({ asset_ticks: { 'btc/usdt': [mark] } }));
    const candles = await venue.candles({ ...range(START, START + MINUTE), price: 'mark' });
    expect(candles).toEqual([{ openTime: START, open: 1, high: 3, low: 0.5, close: 2, volume: 0 }]);
    expect(new URL(sent[0]?.url ?? '').pathname).toBe('/fapi/v1/price/mark-kline');
  });

  it.each([
    [{ status: 404, body: '<html></html>' }, /HTTP 404: no candles in the answer/],
    [{ status: 500, body: '{"success":false,"errors":[{"text":"oops"}]}' }, /HTTP 500: oops/],
    [ok([]), /HTTP 200: no candles in the answer/],
  ])('the answer %j is a VenueError', async (answer, reason) => {
    const { venue } = setUp(() => answer);
    const candles = venue.candles(range(START, START + 5 * MINUTE));
    await expect(candles).rejects.toThrow(VenueError);
    await expect(candles).rejects.toThrow(reason);
  });

  it('one-second candles and other quote currencies are a VenueError', async () => {
    const { venue, sent } = setUp(minutes());
    await expect(
      venue.candles({ symbol: 'BTCUSDT', interval: '1s', fromMs: START, toMs: START + 1 }),
    ).rejects.toThrow('The venue has no 1s candles');
    await expect(venue.candles(range(START, START + MINUTE, 'BTCINR'))).rejects.toThrow(
      'BTCINR is not quoted in USDT',
    );
    expect(sent).toHaveLength(0);
  });
});

describe('chunks', () => {
  it('chunks cover exactly the candles that open and close in the range, each once', () => {
    const intervals = fc.constantFrom(...INTERVALS.filter((interval) => interval !== '1s'));
    const from = fc.integer({ min: Date.UTC(2019, 0), max: Date.UTC(2026, 0) });
    fc.assert(
      fc.property(intervals, from, fc.nat(90 * 86_400_000), (interval, fromMs, length) => {
        const toMs = fromMs + length;
        const chunks = [...chunksOf({ symbol: 'A', interval, fromMs, toMs }, 1_440)];
        let open = openTimeOf(interval, fromMs);
        if (open < fromMs) open = closeTimeOf(interval, open);
        for (const { startSeconds, endSeconds } of chunks) {
          expect(startSeconds).toBe(open / 1_000);
          expect(endSeconds).toBeGreaterThan(startSeconds);
          let count = 0;
          for (; open <= endSeconds * 1_000; open = closeTimeOf(interval, open)) count += 1;
          expect(count).toBeLessThanOrEqual(1_440);
          expect(open).toBeLessThanOrEqual(toMs);
        }
        expect(closeTimeOf(interval, open)).toBeGreaterThan(toMs);
      }),
    );
  });
});
