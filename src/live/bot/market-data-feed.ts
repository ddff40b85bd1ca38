import { Subscription } from 'rxjs';
import type { EngineEventBody } from '../../core/events.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import { closeTimeOf } from '../../core/interval.js';
import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import {
  closesAfter,
  subscribedSymbols,
  requiredStreams,
} from '../../engine/market/stream-router.js';
import { candleFeed$ } from '../../market/candles/candle-feed.js';
import { planWarmUp } from '../../market/candles/warm-up.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { VenueClock } from '../clock/venue-clock.js';
import type { BotVenue } from './bot-venue.js';
import type { EventSink } from './engine-loop.js';
import { pollFunding } from './funding-poller.js';
import { LIVE_BASE } from './live-base.js';

const MINUTE_MS = 60_000;

export interface MarketDataFeedParts {
  readonly hosts: readonly StrategyHost[];
  readonly symbols: readonly string[];
  /** Further symbols whose prices are required: something of ours is open there. */
  readonly openSymbols: readonly string[];
  readonly venue: Pick<BotVenue, 'candles' | 'market$' | 'rates'>;
  readonly venueClock: VenueClock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Retries of the requests at the start. */
  readonly withRetry: <T>(attempt: () => Promise<T>) => Promise<T>;
  readonly loop: EventSink;
}

/** Market data of a bot: its warm-up, the streams after it, and funding. */
export class MarketDataFeed {
  readonly #parts: MarketDataFeedParts;
  /** Candles that close after this venue time are ignored. */
  #lastClose = Number.POSITIVE_INFINITY;

  constructor(parts: MarketDataFeedParts) {
    this.#parts = parts;
  }

  /** Strategies decide on candles that close until then, and ignore later ones. */
  decideUntil(venueTime: number): void {
    this.#lastClose = venueTime;
  }

  /** @returns open time of the newest candle of each symbol. @throws VenueError */
  async warmUp(): Promise<ReadonlyMap<string, number>> {
    const { hosts, venue, venueClock, symbols, loop, withRetry } = this.#parts;
    const last = new Map<string, number>();
    for (const symbol of symbols) {
      const needs = hosts
        .filter((host) => host.symbols.includes(symbol))
        .flatMap((host) => host.needs);
      const plan = planWarmUp(LIVE_BASE, needs, venueClock.now());
      last.set(symbol, plan.lastOpenTime);
      if (plan.candles === 0) continue;
      const candles = await withRetry(() => venue.candles({ symbol, ...plan.range }));
      // The venue may serve the newest minute late: the feed continues after the last candle received.
      last.set(symbol, candles.at(-1)?.openTime ?? plan.range.fromMs - MINUTE_MS);
      loop.push({ kind: 'candles', symbol, interval: LIVE_BASE, candles, live: false });
    }
    return last;
  }

  /** The warm-up of one strategy that starts while the feed runs, as events of it alone. @throws VenueError */
  async warmUpOf({ id, symbols, needs }: StrategyHost): Promise<readonly EngineEventBody[]> {
    const { venue, venueClock } = this.#parts;
    const events: EngineEventBody[] = [];
    for (const symbol of symbols) {
      const plan = planWarmUp(LIVE_BASE, needs, venueClock.now());
      const candles = plan.candles === 0 ? [] : await venue.candles({ symbol, ...plan.range });
      const facts = { symbol, interval: LIVE_BASE, candles, live: false, strategy: id };
      events.push({ kind: 'candles', ...facts });
    }
    return events;
  }

  /** `lastOpenTime`: the result of `warmUp`. */
  subscribe(lastOpenTime: ReadonlyMap<string, number>): Subscription {
    const all = new Subscription();
    all.add(this.#subscribeCandles(lastOpenTime));
    const funded = subscribedSymbols(this.#parts.hosts, 'funding');
    if (funded.length > 0) all.add(this.#subscribeFunding(funded));
    return all;
  }

  #subscribeCandles(lastOpenTime: ReadonlyMap<string, number>): Subscription {
    const { hosts, venue, venueClock, symbols, openSymbols, scheduler, logger, loop } = this.#parts;
    const tickers = [...new Set([...symbols, ...openSymbols])];
    const subscription = { candles: symbols, tickers, ...requiredStreams(hosts) };
    return candleFeed$({
      message$: venue.market$(subscription),
      symbols,
      fetch: (range) => venue.candles(range),
      venueNow: () => venueClock.now(),
      lastOpenTime,
      scheduler,
      logger,
    }).subscribe({
      next: (event) => {
        this.#onEvent(event);
      },
      error: (error) => {
        loop.fail(error);
      },
    });
  }

  #onEvent(event: EngineEventBody): void {
    const { loop, venueClock } = this.#parts;
    if (closesAfter(event, this.#lastClose)) return;
    if (event.kind !== 'candles') {
      loop.push(event);
      return;
    }
    const candles = event.candles.filter(
      (candle) => closeTimeOf(event.interval, candle.openTime) <= this.#lastClose,
    );
    const newest = candles.at(-1);
    if (newest === undefined) return;
    venueClock.ensureAtLeast(closeTimeOf(event.interval, newest.openTime));
    loop.push({ ...event, candles });
  }

  #subscribeFunding(symbols: readonly string[]): Cancel {
    const { venue, loop, logger } = this.#parts;
    if (venue.rates === undefined) {
      logger.warn({}, 'Funding rates need an API key; the strategies that read them receive none');
      return () => undefined;
    }
    return pollFunding({
      ...this.#parts,
      api: venue.rates,
      symbols,
      onRate: (symbol, { rate, settlementMs }) => {
        const facts = { rate: numberFromFixed(rate), nextSettlementMs: settlementMs };
        loop.push({ kind: 'funding', symbol, ...facts });
      },
    });
  }
}
