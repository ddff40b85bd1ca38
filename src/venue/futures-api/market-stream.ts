import { defer, finalize, from, merge, mergeMap, NEVER, type Observable } from 'rxjs';
import type { Clock, Logger, Net, Random, Scheduler } from '../../core/ports.js';
import type { ConnectionBudget } from '../../transport/connection-budget.js';
import { keepSocket } from '../../transport/socket-keeper.js';
import type { MarketMessage, WantedMarket } from '../venue.js';
import type { SilentFeed } from './silence-watch.js';
import { shardsOf, type Subscription } from './stream-names.js';
import { StreamSession } from './stream-session.js';

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
  /** Whether the market did something since that should have been pushed. */
  readonly moved: (feed: SilentFeed) => Promise<boolean>;
}

/**
 * Candles and tickers over as many connections as the cap on subscriptions needs.
 * It is `up` while every one of them is. Cold; never errors, never completes.
 */
export function marketStream(
  wanted: WantedMarket,
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
    const session = new StreamSession({ ...options, wanted });
    return keepSocket(options).pipe(
      mergeMap((event) => from(session.handle(event))),
      finalize(() => session.dispose()),
    );
  });
}

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
