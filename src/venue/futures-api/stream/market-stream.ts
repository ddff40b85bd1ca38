import { defer, finalize, from, merge, mergeMap, NEVER, type Observable } from 'rxjs';
import type { Clock, Logger, Net, Random, Scheduler } from '../../../core/ports.js';
import type { ConnectionBudget } from '../../../io/net/connection-budget.js';
import { reconnectingSocket } from '../../../io/net/reconnecting-socket.js';
import type { MarketMessage, MarketSubscription } from '../../venue.js';
import type { StaleFeed } from './stale-feed-detector.js';
import { shardsOf, type StreamSubscription } from './stream-names.js';
import { MarketStreamSession } from './market-stream-session.js';

export interface MarketStreamOptions {
  readonly url: string;
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  readonly connections: ConnectionBudget;
  readonly streamsPerConnection: number;
  /** ms UTC at the venue. */
  readonly venueTime: () => number;
  /** Whether the history has an update that the feed should have brought. */
  readonly hasMissedUpdates: (feed: StaleFeed) => Promise<boolean>;
}

/**
 * Candles and tickers over as many connections as the limit of streams per connection requires.
 * The stream is `up` while all of them are. Cold; never errors, never completes.
 */
export function marketStream(
  subscription: MarketSubscription,
  options: MarketStreamOptions,
): Observable<MarketMessage> {
  const shards = shardsOf(subscription, options.streamsPerConnection);
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
  subscriptions: readonly StreamSubscription[],
  options: MarketStreamOptions,
): Observable<MarketMessage> {
  return defer(() => {
    const session = new MarketStreamSession({ ...options, subscriptions });
    return reconnectingSocket(options).pipe(
      mergeMap((event) => from(session.handle(event))),
      finalize(() => session.dispose()),
    );
  });
}

/** Several connections as one feed: `up` when the last one is up, `down` when the first one is down. */
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
