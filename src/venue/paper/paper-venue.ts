import { tap, type Observable } from 'rxjs';
import type { Instrument, Listing } from '../../core/instrument.js';
import type { Cancel, Clock, Logger, Random, Scheduler } from '../../core/ports.js';
import type { Reply, VenueRequest } from '../../core/request.js';
import { pollAccount } from '../account-poller.js';
import type { MarketMessage, Venue, MarketSubscription } from '../venue.js';
import type { PaperLedger } from './paper-ledger.js';
import { PaperPrices } from './paper-prices.js';

export interface PaperVenueParts {
  /** Source of prices and candles. */
  readonly market: Pick<Venue, 'candles' | 'market$'>;
  /** At least the listings of `symbols`. @throws VenueError, ConfigError */
  readonly listings: (symbols: readonly string[]) => Promise<readonly Listing[]>;
  readonly ledger: PaperLedger;
  /** Symbols that the run trades. */
  readonly symbols: readonly string[];
  /** Longest real time from acceptance of an order to its first match, in ms. */
  readonly latencyMs: number;
  readonly venueNow: () => number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** Called when the ledger cannot be written. The venue has answered nothing that the ledger lacks. */
  readonly failed: (error: unknown) => void;
  /** Closes the source of prices and candles. */
  readonly closeMarket: () => Promise<void>;
}

/**
 * A venue with live prices and a simulated account. An accepted order is matched within `latencyMs`, at the
 * price of that moment. Resting orders are matched by later prices. Answers are sent once they are durable.
 */
export class PaperVenue implements Venue {
  readonly #parts: PaperVenueParts;
  readonly #prices: PaperPrices;
  /** Symbols with a price in this run. A price of a previous run is too old to trade at. */
  readonly #pricedSymbols = new Set<string>();
  readonly #matchTimers = new Set<Cancel>();
  readonly #listed = new Set<string>();

  constructor(parts: PaperVenueParts) {
    this.#parts = parts;
    this.#prices = new PaperPrices(() => parts.clock.monotonicMs());
  }

  async instruments(): Promise<readonly Instrument[]> {
    const { ledger, symbols, venueNow } = this.#parts;
    const traded = new Set([...symbols, ...this.#openSymbols()]);
    const listings = await this.#parts.listings([...traded]);
    for (const listing of listings) {
      const { symbol } = listing.instrument;
      if (!traded.has(symbol)) continue;
      ledger.addListing(listing, venueNow());
      this.#listed.add(symbol);
    }
    return listings.map(({ instrument }) => instrument);
  }

  candles: Venue['candles'] = (range) => this.#parts.market.candles(range);

  market$(subscription: MarketSubscription): Observable<MarketMessage> {
    const tickers = [...new Set([...subscription.tickers, ...this.#openSymbols()])];
    return this.#parts.market.market$({ ...subscription, tickers }).pipe(
      tap((message) => {
        this.#onMarketMessage(message);
      }),
    );
  }

  account$: Venue['account$'] = (subscription) =>
    pollAccount(subscription, {
      ...this.#parts,
      acquirePermit: () => Promise.resolve(),
      send: (request) => this.send(request),
    });

  tryAcquirePermit(): boolean {
    return true;
  }

  acquirePermit(): Promise<void> {
    return Promise.resolve();
  }

  async send(request: VenueRequest): Promise<Reply> {
    const { ledger, venueNow, failed } = this.#parts;
    if (request.kind === 'place' && this.#lacksPrice(request.terms.symbol)) return UNPRICED;
    try {
      const reply = ledger.reply(request, venueNow());
      const placed = request.kind === 'place' && reply.outcome.kind === 'yes';
      if (placed) this.#scheduleMatch(request.terms.symbol);
      await ledger.sync();
      return reply;
    } catch (error) {
      failed(error);
      return unknownReply(request);
    }
  }

  async close(): Promise<void> {
    for (const cancel of this.#matchTimers) cancel();
    const { ledger, failed, closeMarket } = this.#parts;
    await ledger.close().catch(failed);
    await closeMarket();
  }

  /** Without a price in this run, an order cannot be valued. */
  #lacksPrice(symbol: string): boolean {
    return this.#listed.has(symbol) && !this.#pricedSymbols.has(symbol);
  }

  /** Symbols with an open position or order. Those of a previous run need prices too. */
  #openSymbols(): readonly string[] {
    const { exchange } = this.#parts.ledger;
    return [
      ...new Set(
        (['USDT', 'INR'] as const).flatMap((currency) => [
          ...exchange.positions(currency).map(({ symbol }) => symbol),
          ...exchange.openOrders(currency).map(({ symbol }) => symbol),
        ]),
      ),
    ];
  }

  #onMarketMessage(message: MarketMessage): void {
    const { ledger, venueNow } = this.#parts;
    for (const { symbol, ...quote } of this.#prices.onMessage(message)) {
      if (!this.#listed.has(symbol)) continue;
      ledger.updatePrice(symbol, quote, venueNow());
      if (this.#pricedSymbols.has(symbol)) continue;
      this.#pricedSymbols.add(symbol);
      // Orders that a previous run accepted and did not finish.
      this.#scheduleMatch(symbol);
    }
  }

  #scheduleMatch(symbol: string): void {
    if (!this.#pricedSymbols.has(symbol)) return;
    const { scheduler, ledger, latencyMs, venueNow, failed } = this.#parts;
    const cancel = scheduler.after(latencyMs, () => {
      this.#matchTimers.delete(cancel);
      try {
        ledger.matchPending(symbol, venueNow());
      } catch (error) {
        failed(error);
      }
    });
    this.#matchTimers.add(cancel);
  }
}

const UNPRICED: Reply = {
  to: 'place',
  outcome: { kind: 'unknown', cause: 'no price of the symbol has arrived yet', sent: false },
};

const unknownReply = ({ kind }: VenueRequest): Reply => ({
  to: kind,
  outcome: { kind: 'unknown', cause: 'the paper account cannot be written', sent: true },
});
