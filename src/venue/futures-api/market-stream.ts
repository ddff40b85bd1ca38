import { defer, finalize, from, merge, mergeMap, NEVER, type Observable } from 'rxjs';
import type { Clock, Logger, Net, Random, Scheduler } from '../../core/ports.js';
import type { ConnectionBudget } from '../../transport/connection-budget.js';
import { keepSocket } from '../../transport/socket-keeper.js';
import type { MarketMessage } from '../venue.js';
import { KLINE, StreamSession, TICKER, type Subscription } from './stream-session.js';

export interface MarketStreamOptions {
  readonly url: string;
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  readonly connections: ConnectionBudget;
  readonly streamsPerConnection: number;
}

export interface WantedStreams {
  readonly candles: readonly string[];
  readonly tickers: readonly string[];
}

/**
 * Closed one-minute candles and tickers over as many connections as the cap on subscriptions needs.
 * It is `up` while every one of them is. Cold; never errors, never completes.
 */
export function marketStream(
  wanted: WantedStreams,
  options: MarketStreamOptions,
): Observable<MarketMessage> {
  const shards = shardsOf(wanted, options.streamsPerConnection);
  if (shards.length === 0) return NEVER;
  return defer(() => {
    const feed = new ShardedFeed(shards.length);
    const parts = shards.map((subscriptions, shard) =>
      shardStream(subscriptions, options).pipe(
        mergeMap((message) => from(feed.handle(shard, message))),
      ),
    );
    return merge(...parts);
  });
}

function shardStream(
  wanted: readonly Subscription[],
  options: MarketStreamOptions,
): Observable<MarketMessage> {
  return defer(() => {
    const { scheduler, logger } = options;
    const session = new StreamSession({ wanted, scheduler, logger });
    return keepSocket(options).pipe(
      mergeMap((event) => from(session.handle(event))),
      finalize(() => session.dispose()),
    );
  });
}

/** All tickers are one stream and go first; the rest follows, a full connection at a time. */
export function shardsOf(
  wanted: WantedStreams,
  streamsPerConnection: number,
): readonly (readonly Subscription[])[] {
  const tickers = unique(wanted.tickers).map((asset) => ({ stream: TICKER, asset }));
  const klines = unique(wanted.candles).map((name) => ({ stream: `${KLINE}${name}` }));
  const shards: Subscription[][] = [];
  let room = 0;
  if (tickers.length > 0) {
    shards.push([...tickers]);
    room = streamsPerConnection - 1;
  }
  for (const kline of klines) {
    if (room === 0) {
      shards.push([]);
      room = streamsPerConnection;
    }
    shards.at(-1)?.push(kline);
    room -= 1;
  }
  return shards;
}

/** The wire's form of a symbol: lower case, each once. */
const unique = (symbols: readonly string[]): readonly string[] => [
  ...new Set(symbols.map((symbol) => symbol.toLowerCase())),
];

/** Several connections as one feed: `up` when the last is up, `down` when the first is down. */
class ShardedFeed {
  readonly #shards: number;
  readonly #up = new Set<number>();
  #down = false;

  constructor(shards: number) {
    this.#shards = shards;
  }

  handle(shard: number, message: MarketMessage): readonly MarketMessage[] {
    if (message.kind === 'up') {
      this.#up.add(shard);
      if (this.#up.size < this.#shards) return [];
      this.#down = false;
      return [message];
    }
    if (message.kind === 'down') {
      this.#up.delete(shard);
      if (this.#down) return [];
      this.#down = true;
    }
    return [message];
  }
}
