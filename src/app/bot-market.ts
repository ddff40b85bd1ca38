import { Subscription } from 'rxjs';
import type { Happening } from '../core/events.js';
import { numberFromFixed } from '../core/fixed.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import type { Cancel, Logger, Scheduler } from '../core/ports.js';
import { closesAfter, symbolsOf, wantedStreams } from '../engine/market/stream-router.js';
import { candleFeed$ } from '../market/candle-feed.js';
import { planWarmUp } from '../market/warm-up.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { Venue } from '../venue/venue.js';
import type { FundingRate } from './paper/paper-input.js';
import type { VenueClock } from './venue-clock.js';

/** Candles that arrive live; what strategies want of longer ones is aggregated. */
export const LIVE_BASE: Interval = '1m';
const MINUTE_MS = 60_000;

/** Tells the rate of each symbol's next settlement, now and whenever it is read again. */
export type FundingWatch = (
  symbols: readonly string[],
  know: (symbol: string, rate: FundingRate) => void,
) => Cancel;

export interface BotMarketParts {
  readonly hosts: readonly StrategyHost[];
  readonly symbols: readonly string[];
  /** Symbols whose price is wanted besides: something of ours is open there. */
  readonly held: readonly string[];
  readonly venue: Pick<Venue, 'candles' | 'market$'>;
  readonly venueClock: VenueClock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly watchFunding: FundingWatch;
  /** At the start. */
  readonly reach: <T>(attempt: () => Promise<T>) => Promise<T>;
  readonly push: (happening: Happening) => void;
  readonly fail: (error: unknown) => void;
}

/** What a bot hears of the market: its warm-up, the streams after it, and funding. */
export class BotMarket {
  readonly #parts: BotMarketParts;
  /** Candles that close after this venue time are no longer decided on. */
  #lastClose = Number.POSITIVE_INFINITY;

  constructor(parts: BotMarketParts) {
    this.#parts = parts;
  }

  /** Closed candles until then are still decided on, later ones are not. */
  decideUntil(venueTime: number): void {
    this.#lastClose = venueTime;
  }

  /** @returns open time of the newest candle of each symbol. @throws VenueError */
  async warmUp(): Promise<ReadonlyMap<string, number>> {
    const { hosts, venue, venueClock, symbols, push, reach } = this.#parts;
    const last = new Map<string, number>();
    for (const symbol of symbols) {
      const needs = hosts
        .filter((host) => host.symbols.includes(symbol))
        .flatMap((host) => host.needs);
      const plan = planWarmUp(LIVE_BASE, needs, venueClock.now());
      last.set(symbol, plan.lastOpenTime);
      if (plan.candles === 0) continue;
      const candles = await reach(() => venue.candles({ symbol, ...plan.range }));
      // The newest minute may be served late: the feed goes on after what has really come.
      last.set(symbol, candles.at(-1)?.openTime ?? plan.range.fromMs - MINUTE_MS);
      push({ kind: 'candles', symbol, interval: LIVE_BASE, candles, live: false });
    }
    return last;
  }

  /** `lastOpenTime`: as `warmUp` gave it. */
  subscribe(lastOpenTime: ReadonlyMap<string, number>): Subscription {
    const all = new Subscription();
    all.add(this.#subscribeCandles(lastOpenTime));
    const funded = symbolsOf(this.#parts.hosts, 'funding');
    if (funded.length > 0) all.add(this.#watchFunding(funded));
    return all;
  }

  #subscribeCandles(lastOpenTime: ReadonlyMap<string, number>): Subscription {
    const { hosts, venue, venueClock, symbols, held, scheduler, logger, fail } = this.#parts;
    const tickers = [...new Set([...symbols, ...held])];
    const wanted = { candles: symbols, tickers, ...wantedStreams(hosts) };
    return candleFeed$({
      message$: venue.market$(wanted),
      symbols,
      fetch: (range) => venue.candles(range),
      venueNow: () => venueClock.now(),
      lastOpenTime,
      scheduler,
      logger,
    }).subscribe({
      next: (happening) => {
        this.#meet(happening);
      },
      error: fail,
    });
  }

  #meet(happening: Happening): void {
    const { push, venueClock } = this.#parts;
    if (closesAfter(happening, this.#lastClose)) return;
    if (happening.kind !== 'candles') {
      push(happening);
      return;
    }
    const candles = happening.candles.filter(
      (candle) => closeTimeOf(happening.interval, candle.openTime) <= this.#lastClose,
    );
    const newest = candles.at(-1);
    if (newest === undefined) return;
    venueClock.atLeast(closeTimeOf(happening.interval, newest.openTime));
    push({ ...happening, candles });
  }

  #watchFunding(symbols: readonly string[]): Cancel {
    const { watchFunding, push } = this.#parts;
    return watchFunding(symbols, (symbol, { rate, settlementMs }) => {
      const facts = { rate: numberFromFixed(rate), nextSettlementMs: settlementMs };
      push({ kind: 'funding', symbol, ...facts });
    });
  }
}
