import { describe, expect, it } from 'vitest';
import type { Net, SocketHandlers } from '../../core/ports.js';
import { ConnectionBudget } from '../../transport/connection-budget.js';
import { constantRandom, memoryLogger, VirtualTime } from '../../../test/harness/virtual-ports.js';
import type { MarketMessage } from '../venue.js';
import { marketStream, shardsOf, type WantedStreams } from './market-stream.js';

interface StreamRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly string[];
  readonly assets?: readonly string[];
}

interface Peer extends SocketHandlers {
  readonly asked: StreamRequest[];
  closed: boolean;
}

/** A venue that answers a subscription unless one of its names is bad. */
function setUp(wanted: WantedStreams, options: { bad?: readonly string[]; mute?: boolean } = {}) {
  const time = new VirtualTime();
  const peers: Peer[] = [];
  const net: Net = {
    request: () => Promise.reject(new Error('no HTTP here')),
    connect(_url, handlers) {
      const peer: Peer = { ...handlers, asked: [], closed: false };
      peers.push(peer);
      time.after(0, handlers.onOpen);
      const send = (text: string): void => {
        const request = JSON.parse(text) as StreamRequest;
        peer.asked.push(request);
        const { id, method, params, assets } = request;
        const bad = [...params, ...(assets ?? [])].find((name) => options.bad?.includes(name));
        const verdict =
          bad === undefined
            ? { result: 'success' }
            : { error: { code: 400, msg: `invalid stream name: ${bad}` } };
        if (options.mute !== true) {
          time.after(0, () => handlers.onMessage(JSON.stringify({ method, id, ...verdict })));
        }
      };
      return { send, ping: () => handlers.onAlive(), close: () => (peer.closed = true) };
    },
  };
  const logger = memoryLogger();
  const ports = { clock: time, scheduler: time, random: constantRandom(0), logger };
  const messages: MarketMessage[] = [];
  const subscription = marketStream(wanted, {
    ...ports,
    url: 'ws://127.0.0.1:1',
    net,
    connections: new ConnectionBudget(ports),
    streamsPerConnection: 14,
  }).subscribe((message) => messages.push(message));
  const kinds = (): string[] => messages.map(({ kind }) => kind);
  return { time, peers, messages, kinds, logger, subscription };
}

const symbols = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `A${index}USDT`);

const push = (stream: string, data: unknown): string => JSON.stringify({ stream, data });
const kline = (name: string, fields: object = {}): string =>
  push(`kline@1m@${name}`, { s: name, t: 1781691300, o: 2, h: 4, l: 1, c: 3, v: 10, ...fields });

const BTC = { candles: ['BTCUSDT'], tickers: ['BTCUSDT', 'ETHUSDT'] };

describe('the market stream', () => {
  it('subscribes candles and tickers, and is up when the venue has acknowledged', async () => {
    const { time, peers, kinds } = setUp(BTC);
    await time.advance(0);
    expect(peers[0]?.asked).toEqual([
      {
        id: 1,
        method: 'SUBSCRIBE',
        params: ['ticker@1s', 'kline@1m@btcusdt'],
        assets: ['btcusdt', 'ethusdt'],
      },
    ]);
    expect(kinds()).toEqual(['up']);
  });

  it('tells closed candles and tickers of what was wanted, and of nothing else', async () => {
    const { time, peers, messages } = setUp(BTC);
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

  it('subscribes everything again after each loss, and tells down and up', async () => {
    const { time, peers, messages } = setUp(BTC);
    await time.advance(0);
    for (let round = 0; round < 3; round += 1) {
      peers.at(-1)?.onClose('dropped');
      await time.advance(60_000);
    }
    expect(peers).toHaveLength(4);
    expect(peers.every(({ asked }) => asked[0]?.params.length === 2)).toBe(true);
    const lost = [{ kind: 'down', reason: 'dropped' }, { kind: 'up' }];
    expect(messages).toEqual([{ kind: 'up' }, ...lost, ...lost, ...lost]);
  });

  it('keeps the rest alive when one name of many is refused', async () => {
    const candles = symbols(13);
    const { time, peers, messages, kinds, logger } = setUp(
      { candles, tickers: ['BTCUSDT', 'BADUSDT'] },
      { bad: ['kline@1m@a7usdt', 'badusdt'] },
    );
    await time.advance(0);
    expect(kinds()).toEqual(['up']);
    const refused = logger.lines.map(({ fields }) => fields['asset'] ?? fields['stream']);
    expect(new Set(refused)).toEqual(new Set(['badusdt', 'kline@1m@a7usdt']));
    const ids = peers[0]?.asked.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    peers[0]?.onMessage(kline('a8usdt'));
    expect(messages.at(-1)).toMatchObject({ symbol: 'A8USDT' });
  });

  it('is never up when everything is refused, and tries again', async () => {
    const { time, peers, kinds } = setUp(
      { candles: ['BADUSDT'], tickers: [] },
      { bad: ['kline@1m@badusdt'] },
    );
    await time.advance(100);
    expect(kinds()[0]).toBe('down');
    expect(kinds()).not.toContain('up');
    expect(peers.length).toBeGreaterThan(1);
  });

  it('gives up a connection that does not answer its subscription within 10 s', async () => {
    const { time, peers, messages } = setUp(BTC, { mute: true });
    await time.advance(9_999);
    expect(peers[0]?.closed).toBe(false);
    await time.advance(1);
    expect(peers[0]?.closed).toBe(true);
    expect(messages).toEqual([{ kind: 'down', reason: 'the venue did not answer a subscription' }]);
  });

  it.each(['', 'x', '{}', '[1]', push('kline@1m@btcusdt', {}), push('depth@btcusdt', {})])(
    'bears four frames like %j, and recycles the connection at the fifth',
    async (frame) => {
      const { time, peers, messages } = setUp(BTC);
      await time.advance(0);
      for (let i = 0; i < 4; i += 1) peers[0]?.onMessage(frame);
      expect(messages).toEqual([{ kind: 'up' }]);
      peers[0]?.onMessage(frame);
      expect(peers[0]?.closed).toBe(true);
      await time.advance(0);
      expect(messages).toEqual([
        { kind: 'up' },
        { kind: 'down', reason: '5 frames did not read' },
        { kind: 'up' },
      ]);
    },
  );

  it('leaves out a candle that cannot be true, without losing the connection', async () => {
    const { time, peers, messages, logger } = setUp(BTC);
    await time.advance(0);
    for (let i = 0; i < 10; i += 1) peers[0]?.onMessage(kline('btcusdt', { o: 0, h: 0, l: 0 }));
    expect(messages).toEqual([{ kind: 'up' }]);
    expect(logger.lines).toHaveLength(10);
  });

  it('is up only while every connection is', async () => {
    const { time, peers, kinds } = setUp({ candles: symbols(30), tickers: [] });
    await time.advance(0);
    expect(peers).toHaveLength(3);
    expect(kinds()).toEqual(['up']);
    peers[0]?.onClose('dropped');
    peers[1]?.onClose('dropped');
    expect(kinds()).toEqual(['up', 'down']);
    await time.advance(0);
    expect(kinds()).toEqual(['up', 'down', 'up']);
  });

  it('closes every connection when nobody listens any more', async () => {
    const { time, peers, subscription } = setUp({ candles: symbols(30), tickers: [] });
    await time.advance(0);
    subscription.unsubscribe();
    expect(peers.map(({ closed }) => closed)).toEqual([true, true, true]);
    expect(time.pendingTimers).toBe(0);
  });

  it('connects to nothing when nothing is wanted', async () => {
    const { time, peers, kinds } = setUp({ candles: [], tickers: [] });
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
  ])('hold at most 14 streams: %i candles and %i tickers', (candles, tickers, expected) => {
    const shards = shardsOf({ candles: symbols(candles), tickers: symbols(tickers) }, 14);
    const streams = shards.map((shard) => new Set(shard.map(({ stream }) => stream)).size);
    expect(streams).toEqual(expected);
  });

  it('name each stream once', () => {
    expect(shardsOf({ candles: ['BTCUSDT', 'btcusdt'], tickers: [] }, 14)).toEqual([
      [{ stream: 'kline@1m@btcusdt' }],
    ]);
  });
});
