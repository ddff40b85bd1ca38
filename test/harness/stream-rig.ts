import type { Net, SocketHandlers } from '../../src/core/ports.js';
import { ConnectionBudget } from '../../src/transport/connection-budget.js';
import { marketStream } from '../../src/venue/futures-api/market-stream.js';
import type { SilentFeed } from '../../src/venue/futures-api/silence-watch.js';
import type { MarketMessage, WantedMarket } from '../../src/venue/venue.js';
import { constantRandom, memoryLogger, VirtualTime } from './virtual-ports.js';

export interface StreamRequest {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly string[];
  readonly assets?: readonly string[];
}

export interface Peer extends SocketHandlers {
  readonly asked: StreamRequest[];
  closed: boolean;
}

export interface Oddities {
  /** Names that the venue refuses. */
  readonly bad?: readonly string[];
  /** Answers nothing. */
  readonly mute?: boolean;
  /** Names that the venue accepts and then forgets, for the first so many lists. */
  readonly forgets?: { readonly names: readonly string[]; readonly lists: number };
  /** Answers a list like this. */
  readonly listReply?: object;
  readonly moved?: (feed: SilentFeed) => Promise<boolean>;
}

/** A venue that answers a subscription unless one of its names is bad, and lists what it has. */
export function streamRig(wanted: WantedMarket, odd: Oddities = {}) {
  const time = new VirtualTime();
  const peers: Peer[] = [];
  let lists = 0;
  const listing = (peer: Peer): object => {
    lists += 1;
    const asked = peer.asked.filter(({ method }) => method === 'SUBSCRIBE');
    const kept = (name: string): boolean =>
      odd.forgets?.names.includes(name) !== true || lists > odd.forgets.lists;
    const subscriptions = asked.flatMap(({ params }) => params ?? []).filter(kept);
    const assets = asked.flatMap((request) => request.assets ?? []).filter(kept);
    return { subscriptions, ticker_5s_assets: [], ticker_1s_assets: assets };
  };
  const answerOf = (peer: Peer, { method, params, assets }: StreamRequest): object => {
    if (method === 'LIST_SUBSCRIPTIONS') return odd.listReply ?? { result: listing(peer) };
    const bad = [...(params ?? []), ...(assets ?? [])].find((name) => odd.bad?.includes(name));
    return bad === undefined
      ? { result: 'success' }
      : { error: { code: 400, msg: `invalid stream name: ${bad}` } };
  };
  const net: Net = {
    request: () => Promise.reject(new Error('no HTTP here')),
    connect(_url, handlers) {
      const peer: Peer = { ...handlers, asked: [], closed: false };
      peers.push(peer);
      time.after(0, handlers.onOpen);
      const send = (text: string): void => {
        const request = JSON.parse(text) as StreamRequest;
        peer.asked.push(request);
        if (odd.mute === true) return;
        const { id, method } = request;
        const answer = { method, id, ...answerOf(peer, request) };
        time.after(0, () => handlers.onMessage(JSON.stringify(answer)));
      };
      return { send, ping: () => handlers.onAlive(), close: () => (peer.closed = true) };
    },
  };
  const logger = memoryLogger();
  const ports = { clock: time, scheduler: time, random: constantRandom(0), logger };
  const messages: MarketMessage[] = [];
  const silences: SilentFeed[] = [];
  const subscription = marketStream(wanted, {
    ...ports,
    url: 'ws://127.0.0.1:1',
    net,
    connections: new ConnectionBudget(ports),
    streamsPerConnection: 14,
    venueTime: () => time.utcMs(),
    moved: (feed) => {
      silences.push(feed);
      return odd.moved?.(feed) ?? Promise.resolve(false);
    },
  }).subscribe((message) => messages.push(message));
  const kinds = (): string[] => messages.map(({ kind }) => kind);
  return { time, peers, messages, kinds, logger, subscription, silences };
}

export const push = (stream: string, data: unknown): string => JSON.stringify({ stream, data });
export const kline = (name: string, fields: object = {}): string =>
  push(`kline@1m@${name}`, { s: name, t: 1781691300, o: 2, h: 4, l: 1, c: 3, v: 10, ...fields });

export const BTC = { candles: ['BTCUSDT'], tickers: ['BTCUSDT', 'ETHUSDT'] };
