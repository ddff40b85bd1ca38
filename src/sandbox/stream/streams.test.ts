import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../core/interval.js';
import { ManualTime } from '../../../test/support/fakes/manual-ports.js';
import { parseFaults } from '../faults/fault-rules.js';
import { createFaults } from '../faults/faults.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';
import { runningMinute, SECOND_MS } from '../../market/synthetic/market.js';
import { createPriceOverlay } from '../price/price-overlay.js';
import { createStreams } from './streams.js';
import { DEFAULT_BEHAVIOR_FLAGS, type BehaviorFlags } from '../behavior/behavior-flags.js';
import { createSyntheticMarket } from '../../market/synthetic/synthetic-market.js';

const START = Date.UTC(2025, 4, 5);
const base = createSyntheticMarket(1, STANDARD_LISTINGS);

interface Frame {
  readonly stream?: string;
  readonly data?: unknown;
  readonly method?: string;
}

/** Streams whose venue clock the test moves second by second. */
function setUp(given: { faults?: readonly unknown[]; switches?: Partial<BehaviorFlags> } = {}) {
  const time = new ManualTime();
  const market = createPriceOverlay(base);
  let nowMs = START;
  const faults = createFaults(1, parseFaults(given.faults ?? []));
  const switches = { ...DEFAULT_BEHAVIOR_FLAGS, ...given.switches };
  const options = { market, nowMs: () => nowMs, faults, switches, seed: 1 };
  const streams = createStreams(options, time, time);
  const connect = () => {
    const texts: string[] = [];
    const state = { closed: 0 };
    const peer = streams.open({
      send: (text) => texts.push(text),
      close: () => {
        state.closed += 1;
      },
    });
    const sendFrame = (frame: unknown) => {
      peer.onMessage(typeof frame === 'string' ? frame : JSON.stringify(frame));
    };
    const frames = () => texts.map((text) => JSON.parse(text) as Frame);
    const of = (stream: string) => frames().filter((frame) => frame.stream === stream);
    return { texts, state, peer, sendFrame, frames, of };
  };
  const run = async (seconds: number, realMsEach = 200) => {
    for (let step = 0; step < seconds; step += 1) {
      nowMs += SECOND_MS;
      streams.onSecond(nowMs);
      streams.flush();
      await time.advance(realMsEach);
    }
  };
  return { time, market, streams, connect, run, now: () => nowMs };
}

const subscribe = (params: readonly unknown[], assets?: readonly string[]) => ({
  id: 1,
  method: 'SUBSCRIBE',
  params,
  ...(assets === undefined ? {} : { assets }),
});

describe('replies on the stream connection', () => {
  test.each([
    [
      'a subscription',
      subscribe(['kline@1m@btcusdt']),
      '{"method":"SUBSCRIBE","id":1,"result":"success"}',
    ],
    [
      'a list of none',
      { id: 6, method: 'LIST_SUBSCRIPTIONS' },
      '{"method":"LIST_SUBSCRIPTIONS","id":6,"result":{"subscriptions":[],"ticker_5s_assets":[],"ticker_1s_assets":[]}}',
    ],
    [
      'an unknown interval',
      subscribe(['kline@5m@btcusdt']),
      '{"method":"SUBSCRIBE","id":1,"error":{"code":400,"msg":"invalid stream name: kline@5m@btcusdt"}}',
    ],
    [
      'no params',
      { id: 1, method: 'SUBSCRIBE' },
      '{"method":"SUBSCRIBE","id":1,"error":{"code":400,"msg":"invalid stream name: "}}',
    ],
    [
      'an unsubscribe of what was never subscribed',
      { id: 4, method: 'UNSUBSCRIBE', params: ['kline@1m@btcusdt'] },
      '{"method":"UNSUBSCRIBE","id":4,"error":{"code":400,"msg":"not subscribed: kline@1m@btcusdt"}}',
    ],
    [
      'an unknown method',
      { id: 1, method: 'FOO' },
      '{"method":"FOO","id":1,"error":{"code":400,"msg":"unknown method"}}',
    ],
    [
      'a JSON ping',
      { id: 2, method: 'PING' },
      '{"method":"PING","id":2,"error":{"code":400,"msg":"unknown method"}}',
    ],
    ['a bare ping', 'PING', '{"method":"","id":0,"error":{"code":400,"msg":"invalid JSON"}}'],
  ])('a frame with %s is answered', (_name, frame, reply) => {
    const client = setUp().connect();
    client.sendFrame(frame);
    expect(client.texts).toEqual([reply]);
  });

  test('subscriptions are listed sorted, in the caller’s spelling', () => {
    const client = setUp().connect();
    client.sendFrame(
      subscribe(['ticker@5s', 'kline@1m@BTCUSDT', 'kline@1m@btcusdt'], ['ETHUSDT', 'btcusdt']),
    );
    client.sendFrame({ id: 2, method: 'LIST_SUBSCRIPTIONS' });
    expect(client.frames().at(-1)).toEqual({
      method: 'LIST_SUBSCRIPTIONS',
      id: 2,
      result: {
        subscriptions: ['kline@1m@BTCUSDT', 'ticker@5s'],
        ticker_5s_assets: ['ETHUSDT', 'btcusdt'],
        ticker_1s_assets: [],
      },
    });
  });

  test('one invalid stream refuses the whole request and changes nothing', async () => {
    const { connect, run } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['kline@1m@btcusdt', 'kline@2m@btcusdt']));
    await run(60);
    expect(client.texts).toHaveLength(1);
  });

  test('the sixteenth subscription is refused, and the fifteen stay', () => {
    const client = setUp().connect();
    const names = Array.from({ length: 14 }, (_, index) => `kline@1m@s${index}usdt`);
    client.sendFrame(subscribe([...names, 'ticker@1s'], ['a', 'b', 'c']));
    client.sendFrame(subscribe(['ticker@5s']));
    client.sendFrame(subscribe(['ticker@1s'], ['d']));
    const replies = client.frames().filter((frame) => frame.method === 'SUBSCRIBE');
    expect(replies).toEqual([
      { method: 'SUBSCRIBE', id: 1, result: 'success' },
      { method: 'SUBSCRIBE', id: 1, error: { code: 429, msg: 'subscription limit reached' } },
      { method: 'SUBSCRIBE', id: 1, result: 'success' },
    ]);
  });
});

describe('pushes', () => {
  test('exactly one 1m frame comes per closed candle, equal to its history', async () => {
    const { connect, run } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['kline@1m@btcusdt', 'markKline@1m@btcusdt']));
    await run(185);
    const frames = client.of('kline@1m@btcusdt');
    expect(frames).toHaveLength(3);
    frames.forEach((frame, index) => {
      const fromMs = START + index * MINUTE_MS;
      const candle = base.rangeCandle('last', 'BTCUSDT', fromMs, fromMs + MINUTE_MS);
      expect(frame.data).toEqual({
        s: 'btcusdt',
        t: fromMs / 1_000,
        o: candle?.open,
        h: candle?.high,
        l: candle?.low,
        c: candle?.close,
        v: candle?.volume,
      });
    });
    expect(client.of('markKline@1m@btcusdt')).toHaveLength(3);
    expect(client.of('markKline@1m@btcusdt')[0]?.data).not.toHaveProperty('v');
  });

  test('kline@1s is the running minute each second, with that second as its time', async () => {
    const { connect, run, now } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['kline@1s@btcusdt']));
    await run(90);
    const frames = client.of('kline@1s@btcusdt');
    expect(frames).toHaveLength(90);
    const running = runningMinute(base, 'last', 'BTCUSDT', now());
    expect(frames.at(-1)?.data).toMatchObject({
      t: now() / 1_000 - 1,
      o: running?.open,
      h: running?.high,
      v: running?.volume,
    });
  });

  test('mark candles of one second chain', async () => {
    const { connect, run } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['markKline@1s@btcusdt']));
    await run(30);
    const candles = client.of('markKline@1s@btcusdt').map((frame) => frame.data) as {
      o: number;
      c: number;
    }[];
    expect(candles.length).toBeGreaterThan(10);
    candles.slice(1).forEach((candle, index) => {
      expect(candle.o).toBe(candles[index]?.c);
    });
  });

  test('a ticker starts with the last row of each added asset, after the reply', () => {
    const client = setUp().connect();
    client.sendFrame(subscribe(['ticker@1s'], ['BTCUSDT', 'nonsense']));
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt', 'ethusdt']));
    expect(client.frames().map((frame) => frame.stream ?? frame.method)).toEqual([
      'SUBSCRIBE',
      'ticker@1s',
      'SUBSCRIBE',
      'ticker@1s',
    ]);
    const last = base.priceAt('last', 'BTCUSDT', START);
    const mark = base.priceAt('mark', 'BTCUSDT', START);
    expect(client.frames()[1]?.data).toEqual([{ s: 'btcusdt', p: last, mp: mark }]);
    expect(client.frames()[3]?.data).toMatchObject([{ s: 'ethusdt' }]);
  });

  test('ticker@5s comes on multiples of five seconds with only the changed rows', async () => {
    const { connect, run, market } = setUp();
    const client = connect();
    market.setOverride('ETHUSDT', START, 2_500);
    client.sendFrame(subscribe(['ticker@5s'], ['btcusdt', 'ethusdt']));
    await run(21);
    const [snapshot, ...pushes] = client.of('ticker@5s');
    expect(snapshot?.data).toHaveLength(2);
    expect(pushes).toHaveLength(4);
    for (const push of pushes) expect(push.data).toMatchObject([{ s: 'btcusdt' }]);
  });

  test('ticker@5s omits a price that returned within a window', async () => {
    const { connect, run, market, now, streams } = setUp();
    const client = connect();
    market.setOverride('BTCUSDT', START, 60_000);
    market.setOverride('ETHUSDT', START, 2_500);
    client.sendFrame(subscribe(['ticker@1s', 'ticker@5s'], ['btcusdt', 'ethusdt']));
    await run(6);
    market.setOverride('BTCUSDT', now(), 60_001);
    streams.onPriceMoved();
    await run(1);
    market.setOverride('BTCUSDT', now(), 60_000);
    market.setOverride('ETHUSDT', now(), 2_501);
    streams.onPriceMoved();
    await run(4);
    const [snapshot, ...pushes] = client.of('ticker@5s');
    expect(snapshot?.data).toHaveLength(2);
    expect(pushes.map(({ data }) => data)).toEqual([[{ s: 'ethusdt', p: 2_501, mp: 2_501 }]]);
    expect(client.of('ticker@1s').length).toBeGreaterThan(2);
  });

  test('at most ten tickers come in a real second on a fast clock, the last one the newest', async () => {
    const { connect, run, time, now } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt']));
    await run(120, 16);
    await time.advance(100);
    const pushes = client.of('ticker@1s');
    expect(pushes.length).toBeLessThanOrEqual(22);
    expect(pushes.length).toBeGreaterThan(15);
    expect(pushes.at(-1)?.data).toMatchObject([{ p: base.priceAt('last', 'BTCUSDT', now()) }]);
  });

  test('an overridden price is pushed although the venue clock is held', async () => {
    const { connect, market, streams, now } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt']));
    market.setOverride('BTCUSDT', now(), 61_234.5);
    streams.onPriceMoved();
    expect(client.of('ticker@1s').at(-1)?.data).toEqual([
      { s: 'btcusdt', p: 61_234.5, mp: 61_234.5 },
    ]);
  });

  test('pushes stop with the unsubscribe of an asset, and of the stream with its last asset', async () => {
    const { connect, run } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt', 'ethusdt']));
    client.sendFrame({ id: 2, method: 'UNSUBSCRIBE', params: ['ticker@1s'], assets: ['btcusdt'] });
    await run(1);
    expect(client.of('ticker@1s').at(-1)?.data).toMatchObject([{ s: 'ethusdt' }]);
    client.sendFrame({ id: 3, method: 'UNSUBSCRIBE', params: ['ticker@1s'], assets: ['ETHUSDT'] });
    client.sendFrame({ id: 4, method: 'LIST_SUBSCRIPTIONS' });
    expect(client.frames().at(-1)).toMatchObject({ result: { subscriptions: [] } });
  });

  test('an unlisted symbol has no pushes, though its subscription is acknowledged', async () => {
    const { connect, run } = setUp();
    const client = connect();
    client.sendFrame(
      subscribe(['kline@1m@nopeusdt', 'kline@1s@nopeusdt', 'ticker@1s'], ['nopeusdt']),
    );
    await run(61);
    expect(client.texts).toEqual(['{"method":"SUBSCRIBE","id":1,"result":"success"}']);
  });
});

describe('connections', () => {
  test('a connection is closed after 40 s without a client frame, with or without pushes', async () => {
    const { connect, run, time } = setUp();
    const client = connect();
    client.sendFrame(subscribe(['kline@1s@btcusdt']));
    await run(39, 1_000);
    expect(client.state.closed).toBe(0);
    client.peer.onActivity();
    await time.advance(39_999);
    expect(client.state.closed).toBe(0);
    await time.advance(1);
    expect(client.state.closed).toBe(1);
    expect(time.pendingTimers).toBe(0);
  });

  test('a faulty connection breaks at its next push, and the others do not', async () => {
    const { connect, run } = setUp({ faults: [{ on: 'WS', fault: 'ws_drop', count: 1 }] });
    const [first, second] = [connect(), connect()];
    first.sendFrame(subscribe(['kline@1m@btcusdt']));
    second.sendFrame(subscribe(['kline@1m@btcusdt']));
    await run(60);
    expect([first.state.closed, second.state.closed]).toEqual([1, 0]);
    expect(
      [first.of('kline@1m@btcusdt'), second.of('kline@1m@btcusdt')].map((one) => one.length),
    ).toEqual([0, 1]);
  });
});

const KLINE = 'kline@1s@btcusdt';
const MINUTE = 'kline@1m@btcusdt';

describe('the other answers', () => {
  test('a JSON PING is answered with a PONG', () => {
    const { connect } = setUp({ switches: { jsonPing: 'pong' } });
    const client = connect();
    client.sendFrame({ id: 9, method: 'PING' });
    expect(client.texts).toEqual(['{"id":9,"method":"PONG"}']);
  });

  test('kline@1s is a candle of its second, and the seconds chain', async () => {
    const { connect, run } = setUp({ switches: { kline1s: 'second' } });
    const client = connect();
    client.sendFrame(subscribe([KLINE]));
    await run(90);
    const candles = client.of(KLINE).map(({ data }) => data as { o: number; c: number; t: number });
    expect(candles.length).toBeGreaterThan(60);
    for (const [index, { o, t }] of candles.entries()) {
      const before = candles[index - 1];
      if (before?.t === t - 1) expect(o).toBe(before.c);
    }
  });

  test('a repeated subscription is refused, and the rest of the request has no effect', () => {
    const { connect } = setUp({ switches: { duplicateSubscribe: 'error' } });
    const client = connect();
    client.sendFrame(subscribe([KLINE]));
    client.sendFrame(subscribe([MINUTE, KLINE]));
    client.sendFrame({ id: 2, method: 'LIST_SUBSCRIPTIONS' });
    expect(client.frames()[1]).toMatchObject({
      error: { code: 400, msg: `already subscribed: ${KLINE}` },
    });
    expect(client.frames()[2]).toMatchObject({ result: { subscriptions: [KLINE] } });
  });

  test('more assets on a ticker are no duplicate', () => {
    const { connect } = setUp({ switches: { duplicateSubscribe: 'error' } });
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt']));
    client.sendFrame(subscribe(['ticker@1s'], ['ethusdt']));
    expect(client.frames().filter(({ method }) => method !== undefined)).toEqual([
      { method: 'SUBSCRIBE', id: 1, result: 'success' },
      { method: 'SUBSCRIBE', id: 1, result: 'success' },
    ]);
  });

  test('a ticker that is unsubscribed without assets stays whole', () => {
    const { connect } = setUp({ switches: { tickerUnsubscribeAll: 'nothing' } });
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt']));
    client.sendFrame({ id: 2, method: 'UNSUBSCRIBE', params: ['ticker@1s'] });
    client.sendFrame({ id: 3, method: 'LIST_SUBSCRIPTIONS' });
    expect(client.frames().at(-1)).toMatchObject({
      result: { subscriptions: ['ticker@1s'], ticker_1s_assets: ['btcusdt'] },
    });
  });

  test('ticker rows sometimes come without a mark and never without a price', async () => {
    const { connect, run } = setUp({ switches: { tickerMark: 'sometimes-absent' } });
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt', 'ethusdt']));
    await run(120);
    const rows = client.of('ticker@1s').flatMap(({ data }) => data as { p: number; mp?: number }[]);
    const bare = rows.filter(({ mp }) => mp === undefined).length;
    expect(bare).toBeGreaterThan(0);
    expect(bare).toBeLessThan(rows.length / 4);
    expect(rows.every(({ p }) => p > 0)).toBe(true);
  });

  test('an idle connection stays open', async () => {
    const { connect, time } = setUp({ switches: { idleClose: 'never' } });
    const client = connect();
    await time.advance(600_000);
    expect(client.state.closed).toBe(0);
    expect(time.pendingTimers).toBe(0);
  });
});

describe('feed faults', () => {
  /** Two streams on one connection for some seconds, one of them with a fault. */
  const runWithFault = async (fault: Readonly<Record<string, unknown>>, seconds = 10) => {
    const { connect, run } = setUp({ faults: [{ on: `WS ${KLINE}`, ...fault }] });
    const client = connect();
    client.sendFrame(subscribe([KLINE, 'kline@1s@ethusdt']));
    await run(seconds);
    const times = (stream: string) =>
      client.of(stream).map(({ data }) => (data as { t: number }).t - START / 1_000);
    return { client, times: times(KLINE), others: times('kline@1s@ethusdt') };
  };
  const TEN = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  test('a fault leaves the other streams unchanged', async () => {
    expect((await runWithFault({ fault: 'ws_gap' })).others).toEqual(TEN);
    expect((await runWithFault({ fault: 'ws_dup' })).others).toEqual(TEN);
  });

  test('ws_gap omits frames', async () => {
    expect((await runWithFault({ fault: 'ws_gap', count: 2 })).times).toEqual(TEN.slice(2));
  });

  test('ws_gap with a delay omits a stretch of its stream', async () => {
    const { times, others } = await runWithFault({ fault: 'ws_gap', count: 1, delay_ms: 900 });
    expect(times).toEqual(TEN.slice(5));
    expect(others).toEqual(TEN);
  });

  test('ws_silent keeps the connection open and sends nothing more on it', async () => {
    const { client, times, others } = await runWithFault({ fault: 'ws_silent', count: 1 });
    expect(client.state.closed).toBe(0);
    expect(times).toEqual([]);
    expect(others).toEqual([]);
  });

  test('ws_silent with a delay sends again afterwards', async () => {
    const { times } = await runWithFault({ fault: 'ws_silent', count: 1, delay_ms: 900 });
    expect(times).toEqual(TEN.slice(5));
  });

  test('ws_dup sends a frame twice', async () => {
    expect((await runWithFault({ fault: 'ws_dup', count: 1 })).times).toEqual([0, ...TEN]);
  });

  test('ws_ooo sends the next frame first', async () => {
    expect((await runWithFault({ fault: 'ws_ooo', count: 1 })).times).toEqual([
      1,
      0,
      ...TEN.slice(2),
    ]);
  });

  test('ws_garbage sends invalid frames, and the stream continues', async () => {
    const { connect, run } = setUp({ faults: [{ on: 'WS', fault: 'ws_garbage', count: 40 }] });
    const client = connect();
    client.sendFrame(subscribe([KLINE]));
    await run(50);
    const good = client.texts.filter((text) => text.startsWith(`{"stream":"${KLINE}"`));
    expect(new Set(client.texts.slice(1, 41)).size).toBeGreaterThan(5);
    expect(good.length).toBeGreaterThanOrEqual(10);
    expect(client.state.closed).toBe(0);
  });

  test('zero_ohlc leaves a candle only its close', async () => {
    const { client } = await runWithFault({ fault: 'zero_ohlc', count: 1 });
    const [first, second] = client.of(KLINE).map(({ data }) => data as Record<string, number>);
    expect(first).toMatchObject({ o: 0, h: 0, l: 0, v: 0 });
    expect(first?.['c']).toBeGreaterThan(0);
    expect(second?.['o']).toBeGreaterThan(0);
  });

  test('price_spike multiplies a price', async () => {
    const { client } = await runWithFault({ fault: 'price_spike(3)', count: 1 });
    const [first, second] = client.of(KLINE).map(({ data }) => data as Record<string, number>);
    expect(first?.['c']).toBeGreaterThan(2.9 * (second?.['c'] ?? 0));
    expect(first?.['h']).toBe(first?.['c']);
  });

  test('price_spike changes ticker rows too', async () => {
    const { connect, run, market, now } = setUp({
      faults: [{ on: 'WS ticker', fault: 'price_spike(2)', count: 1 }],
    });
    const client = connect();
    client.sendFrame(subscribe(['ticker@1s'], ['btcusdt']));
    await run(1);
    const [row] = client.of('ticker@1s')[0]?.data as { p: number }[];
    expect(row?.p).toBe(2 * (market.priceAt('last', 'BTCUSDT', now() - SECOND_MS) ?? 0));
  });
});
