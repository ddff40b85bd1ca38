import { describe, expect, it } from 'vitest';
import { BTC, kline, push, streamRig } from '../../../../test/support/rigs/stream-rig.js';
import { shardsOf } from './stream-names.js';

const symbols = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `A${index}USDT`);

describe('the market stream', () => {
  it('the stream subscribes candles and tickers, and is up when the venue has acknowledged', async () => {
    const { time, peers, kinds } = streamRig(BTC);
    await time.advance(0);
    expect(peers[0]?.requests).toEqual([
      {
        id: 1,
        method: 'SUBSCRIBE',
        params: ['ticker@1s', 'kline@1m@btcusdt'],
        assets: ['btcusdt', 'ethusdt'],
      },
      { id: 2, method: 'LIST_SUBSCRIPTIONS' },
    ]);
    expect(kinds()).toEqual(['up']);
  });

  it('only subscribed candles and tickers are emitted', async () => {
    const { time, peers, messages } = streamRig(BTC);
    await time.advance(0);
    const [peer] = peers;
    peer?.onMessage(kline('btcusdt'));
    peer?.onMessage(kline('ethusdt'));
    peer?.onMessage(
      push('ticker@1s', [
        { s: 'ethusdt', p: 3500, mp: 3501 },
        { s: 'xrpusdt', p: 1 },
      ]),
    );
    peer?.onMessage(push('ticker@1s', [{ s: 'btcusdt', p: 0 }]));
    expect(messages.slice(1)).toEqual([
      {
        kind: 'candle',
        symbol: 'BTCUSDT',
        candle: { openTime: 1781691300000, open: 2, high: 4, low: 1, close: 3, volume: 10 },
      },
      { kind: 'tickers', rows: [{ symbol: 'ETHUSDT', last: 3500, mark: 3501 }] },
    ]);
  });

  it('after each loss all streams are subscribed again, with down and up', async () => {
    const { time, peers, messages } = streamRig(BTC);
    await time.advance(0);
    for (let round = 0; round < 3; round += 1) {
      peers.at(-1)?.onClose('dropped');
      await time.advance(60_000);
    }
    expect(peers).toHaveLength(4);
    expect(peers.every(({ requests }) => requests[0]?.params?.length === 2)).toBe(true);
    const lost = [{ kind: 'down', reason: 'dropped' }, { kind: 'up' }];
    expect(messages).toEqual([{ kind: 'up' }, ...lost, ...lost, ...lost]);
  });

  it('the other streams survive the refusal of one name', async () => {
    const candles = symbols(13);
    const { time, peers, messages, kinds, logger } = streamRig(
      { candles, tickers: ['BTCUSDT', 'BADUSDT'] },
      { bad: ['kline@1m@a7usdt', 'badusdt'] },
    );
    await time.advance(0);
    expect(kinds()).toEqual(['up']);
    const refused = logger.lines.map(({ fields }) => fields['asset'] ?? fields['stream']);
    expect(new Set(refused)).toEqual(new Set(['badusdt', 'kline@1m@a7usdt']));
    const ids = peers[0]?.requests.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    peers[0]?.onMessage(kline('a8usdt'));
    expect(messages.at(-1)).toMatchObject({ symbol: 'A8USDT' });
  });

  it.each([
    ['a stream', ['kline@1m@btcusdt']],
    ['the ticker of an asset', ['ethusdt']],
    ['every stream', ['kline@1m@btcusdt', 'ticker@1s', 'btcusdt', 'ethusdt']],
  ])('%s missing in the list of the venue is subscribed again', async (_, names) => {
    const { time, peers, kinds, logger } = streamRig(BTC, { forgets: { names, lists: 1 } });
    await time.advance(0);
    const methods = peers[0]?.requests.map(({ method }) => method[0]);
    expect(methods).toEqual(['S', 'L', 'S', 'L']);
    expect(kinds()).toEqual(['up']);
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('a connection whose subscriptions stay missing is replaced', async () => {
    const { time, peers, messages } = streamRig(BTC, {
      forgets: { names: ['kline@1m@btcusdt'], lists: 3 },
    });
    await time.advance(1);
    expect(peers[0]?.closed).toBe(true);
    expect(messages).toEqual([
      { kind: 'down', reason: '1 subscriptions are still missing' },
      { kind: 'up' },
    ]);
  });

  it.each([{ error: { code: 400, msg: 'unknown method' } }, { result: 'success' }])(
    'the acknowledgement counts if the venue lists as %j',
    async (listReply) => {
      const { time, kinds } = streamRig(BTC, { listReply });
      await time.advance(0);
      expect(kinds()).toEqual(['up']);
    },
  );

  it('mark price candles and one-second candles are emitted with their kinds', async () => {
    const { time, peers, messages } = streamRig({
      candles: [],
      tickers: [],
      mark: ['BTCUSDT'],
      seconds: ['BTCUSDT'],
      markSeconds: ['BTCUSDT'],
    });
    await time.advance(0);
    const streams = ['markKline@1m@btcusdt', 'kline@1s@btcusdt', 'markKline@1s@btcusdt'];
    expect(peers[0]?.requests[0]?.params).toEqual(streams);
    const figures = { s: 'btcusdt', t: 1781691300, o: 2, h: 4, l: 1, c: 3 };
    peers[0]?.onMessage(push('markKline@1m@btcusdt', figures));
    peers[0]?.onMessage(push('kline@1s@btcusdt', { ...figures, v: 5 }));
    peers[0]?.onMessage(push('markKline@1s@btcusdt', figures));
    const candle = { openTime: 1781691300000, open: 2, high: 4, low: 1, close: 3, volume: 0 };
    expect(messages.slice(1)).toEqual([
      { kind: 'mark-candle', symbol: 'BTCUSDT', candle },
      { kind: 'second', symbol: 'BTCUSDT', candle: { ...candle, volume: 5 } },
      { kind: 'mark-second', symbol: 'BTCUSDT', candle },
    ]);
  });

  it('a stream whose subscriptions are all refused is never up and reconnects', async () => {
    const { time, peers, kinds } = streamRig(
      { candles: ['BADUSDT'], tickers: [] },
      { bad: ['kline@1m@badusdt'] },
    );
    await time.advance(100);
    expect(kinds()[0]).toBe('down');
    expect(kinds()).not.toContain('up');
    expect(peers.length).toBeGreaterThan(1);
  });

  it('a connection without an answer to a subscription within 10 s is replaced', async () => {
    const { time, peers, messages } = streamRig(BTC, { mute: true });
    await time.advance(9_999);
    expect(peers[0]?.closed).toBe(false);
    await time.advance(1);
    expect(peers[0]?.closed).toBe(true);
    expect(messages).toEqual([{ kind: 'down', reason: 'the venue did not answer a subscription' }]);
  });

  it.each(['', 'x', '{}', '[1]', push('kline@1m@btcusdt', {}), push('depth@btcusdt', {})])(
    'the fifth frame like %j replaces the connection',
    async (frame) => {
      const { time, peers, messages } = streamRig(BTC);
      await time.advance(0);
      for (let i = 0; i < 4; i += 1) peers[0]?.onMessage(frame);
      expect(messages).toEqual([{ kind: 'up' }]);
      peers[0]?.onMessage(frame);
      expect(peers[0]?.closed).toBe(true);
      await time.advance(0);
      expect(messages).toEqual([
        { kind: 'up' },
        { kind: 'down', reason: '5 frames were unreadable' },
        { kind: 'up' },
      ]);
    },
  );

  it('an impossible candle is dropped, and the connection stays', async () => {
    const { time, peers, messages, logger } = streamRig(BTC);
    await time.advance(0);
    for (let i = 0; i < 10; i += 1) peers[0]?.onMessage(kline('btcusdt', { o: 0, h: 0, l: 0 }));
    expect(messages).toEqual([{ kind: 'up' }]);
    expect(logger.lines).toHaveLength(10);
  });

  it('the stream is up only while every connection is up', async () => {
    const { time, peers, kinds } = streamRig({ candles: symbols(30), tickers: [] });
    await time.advance(0);
    expect(peers).toHaveLength(3);
    expect(kinds()).toEqual(['up']);
    peers[0]?.onClose('dropped');
    peers[1]?.onClose('dropped');
    expect(kinds()).toEqual(['up', 'down']);
    await time.advance(0);
    expect(kinds()).toEqual(['up', 'down', 'up']);
  });

  it('unsubscribing closes every connection', async () => {
    const { time, peers, subscription } = streamRig({ candles: symbols(30), tickers: [] });
    await time.advance(0);
    subscription.unsubscribe();
    expect(peers.map(({ closed }) => closed)).toEqual([true, true, true]);
    expect(time.pendingTimers).toBe(0);
  });

  it('an empty subscription opens no connection', async () => {
    const { time, peers, kinds } = streamRig({ candles: [], tickers: [] });
    await time.advance(1_000);
    expect([peers.length, kinds().length]).toEqual([0, 0]);
  });
});

describe('shards', () => {
  it.each([
    [0, 0, []],
    [0, 3, [1]],
    [14, 0, [14]],
    [15, 0, [14, 1]],
    [13, 1, [14]],
    [14, 500, [14, 1]],
    [100, 1, [14, 14, 14, 14, 14, 14, 14, 3]],
  ])('shards have at most 14 streams: %i candles and %i tickers', (candles, tickers, expected) => {
    const shards = shardsOf({ candles: symbols(candles), tickers: symbols(tickers) }, 14);
    const streams = shards.map((shard) => new Set(shard.map(({ stream }) => stream)).size);
    expect(streams).toEqual(expected);
  });

  it('each stream is in one shard only', () => {
    expect(shardsOf({ candles: ['BTCUSDT', 'btcusdt'], tickers: [] }, 14)).toEqual([
      [{ stream: 'kline@1m@btcusdt' }],
    ]);
  });
});
