import type { Net, SocketHandlers } from '../../../src/core/ports.js';
import { ConnectionBudget } from '../../../src/io/net/connection-budget.js';
import { marketStream } from '../../../src/venue/futures-api/stream/market-stream.js';
import type { StaleFeed } from '../../../src/venue/futures-api/stream/stale-feed-detector.js';
import type { MarketMessage, MarketSubscription } from '../../../src/venue/venue.js';
import { constantRandom, memoryLogger, ManualTime } from '../fakes/manual-ports.js';

export interface StreamRequest {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly string[];
  readonly assets?: readonly string[];
}

export interface FakeStreamServer extends SocketHandlers {
  readonly requests: StreamRequest[];
  closed: boolean;
}

export interface StreamFaults {
  /** Names that the venue refuses. */
  readonly bad?: readonly string[];
  /** Answers nothing. */
  readonly mute?: boolean;
  /** Names that the venue accepts and then forgets, for the first so many lists. */
  readonly forgets?: { readonly names: readonly string[]; readonly lists: number };
  /** Answers a list like this. */
  readonly listReply?: object;
  readonly moved?: (feed: StaleFeed) => Promise<boolean>;
}

/** A venue that answers a subscription unless one of its names is bad, and lists what it has. */
export function streamRig(subscriptionsWanted: MarketSubscription, faults: StreamFaults = {}) {
  const time = new ManualTime();
  const servers: FakeStreamServer[] = [];
  let lists = 0;
  const listing = (server: FakeStreamServer): object => {
    lists += 1;
    const requests = server.requests.filter(({ method }) => method === 'SUBSCRIBE');
    const answeredSymbols = (name: string): boolean =>
      faults.forgets?.names.includes(name) !== true || lists > faults.forgets.lists;
    const subscriptions = requests.flatMap(({ params }) => params ?? []).filter(answeredSymbols);
    const assets = requests.flatMap((request) => request.assets ?? []).filter(answeredSymbols);
    return { subscriptions, ticker_5s_assets: [], ticker_1s_assets: assets };
  };
  const answerOf = (
    server: FakeStreamServer,
    { method, params, assets }: StreamRequest,
  ): object => {
    if (method === 'LIST_SUBSCRIPTIONS') return faults.listReply ?? { result: listing(server) };
    const bad = [...(params ?? []), ...(assets ?? [])].find((name) => faults.bad?.includes(name));
    return bad === undefined
      ? { result: 'success' }
      : { error: { code: 400, msg: `invalid stream name: ${bad}` } };
  };
  const net: Net = {
    request: () => Promise.reject(new Error('no HTTP here')),
    connect(_url, handlers) {
      const server: FakeStreamServer = { ...handlers, requests: [], closed: false };
      servers.push(server);
      time.after(0, handlers.onOpen);
      const send = (text: string): void => {
        const request = JSON.parse(text) as StreamRequest;
        server.requests.push(request);
        if (faults.mute === true) return;
        const { id, method } = request;
        const answer = { method, id, ...answerOf(server, request) };
        time.after(0, () => handlers.onMessage(JSON.stringify(answer)));
      };
      return { send, ping: () => handlers.onAlive(), close: () => (server.closed = true) };
    },
  };
  const logger = memoryLogger();
  const ports = { clock: time, scheduler: time, random: constantRandom(0), logger };
  const messages: MarketMessage[] = [];
  const silences: StaleFeed[] = [];
  const subscription = marketStream(subscriptionsWanted, {
    ...ports,
    url: 'ws://127.0.0.1:1',
    net,
    connections: new ConnectionBudget(ports),
    streamsPerConnection: 14,
    venueTime: () => time.utcMs(),
    hasMissedUpdates: (feed) => {
      silences.push(feed);
      return faults.moved?.(feed) ?? Promise.resolve(false);
    },
  }).subscribe((message) => messages.push(message));
  const kinds = (): string[] => messages.map(({ kind }) => kind);
  return { time, peers: servers, messages, kinds, logger, subscription, silences };
}

export const push = (stream: string, data: unknown): string => JSON.stringify({ stream, data });
export const kline = (name: string, fields: object = {}): string =>
  push(`kline@1m@${name}`, { s: name, t: 1781691300, o: 2, h: 4, l: 1, c: 3, v: 10, ...fields });

export const BTC = { candles: ['BTCUSDT'], tickers: ['BTCUSDT', 'ETHUSDT'] };
