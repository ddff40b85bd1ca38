import { tap, type Observable } from 'rxjs';
import type { Instrument } from '../../core/instrument.js';
import type { Cancel, Clock, Logger, Random, Scheduler } from '../../core/ports.js';
import type { Reply, VenueRequest } from '../../core/request.js';
import type { Listing } from '../../exchange/simulated-exchange.js';
import { pollAccount } from '../../venue/futures-api/account-poller.js';
import type { MarketMessage, Venue, WantedMarket } from '../../venue/venue.js';
import type { PaperLedger } from './paper-ledger.js';
import { PaperPrices } from './paper-prices.js';

export interface PaperVenueParts {
  /** Where prices and candles come from. */
  readonly market: Pick<Venue, 'candles' | 'market$'>;
  /** The rules of those, and of any others that were read with them. @throws VenueError, ConfigError */
  readonly listings: (wanted: readonly string[]) => Promise<readonly Listing[]>;
  readonly ledger: PaperLedger;
  /** That the run trades. */
  readonly symbols: readonly string[];
  /** Real ms from an order's acceptance to its meeting the market, at most. */
  readonly latencyMs: number;
  readonly venueNow: () => number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  /** The ledger cannot be written: nothing that it does not hold was told. */
  readonly failed: (error: unknown) => void;
  /** Closes what stands behind. */
  readonly released: () => Promise<void>;
}

export interface PaperVenue extends Venue {
  close(): Promise<void>;
}

export const createPaperVenue = (parts: PaperVenueParts): PaperVenue => new Paper(parts);

/**
 * A venue whose prices are live and whose account is simulated. An accepted order meets the market
 * `latencyMs` later at most, at the price of then; what rests is set off by the prices as they come. Nothing is
 * told before it is durable.
 */
class Paper implements PaperVenue {
  readonly #parts: PaperVenueParts;
  readonly #prices: PaperPrices;
  /** Symbols of which this life has seen a price: an older one is no price to trade at. */
  readonly #priced = new Set<string>();
  readonly #settling = new Set<Cancel>();
  readonly #listed = new Set<string>();

  constructor(parts: PaperVenueParts) {
    this.#parts = parts;
    this.#prices = new PaperPrices(() => parts.clock.monotonicMs());
  }

  async instruments(): Promise<readonly Instrument[]> {
    const { ledger, symbols, venueNow } = this.#parts;
    const traded = new Set([...symbols, ...this.#held()]);
    const listings = await this.#parts.listings([...traded]);
    for (const listing of listings) {
      const { symbol } = listing.instrument;
      if (!traded.has(symbol)) continue;
      ledger.list(listing, venueNow());
      this.#listed.add(symbol);
    }
    return listings.map(({ instrument }) => instrument);
  }

  candles: Venue['candles'] = (range) => this.#parts.market.candles(range);

  market$(wanted: WantedMarket): Observable<MarketMessage> {
    const tickers = [...new Set([...wanted.tickers, ...this.#held()])];
    return this.#parts.market.market$({ ...wanted, tickers }).pipe(
      tap((message) => {
        this.#see(message);
      }),
    );
  }

  account$: Venue['account$'] = (wanted) =>
    pollAccount(wanted, {
      ...this.#parts,
      slot: () => Promise.resolve(),
      send: (request) => this.send(request),
    });

  slotNow(): boolean {
    return true;
  }

  slot(): Promise<void> {
    return Promise.resolve();
  }

  async send(request: VenueRequest): Promise<Reply> {
    const { ledger, venueNow, failed } = this.#parts;
    if (request.kind === 'place' && this.#isUnpriced(request.terms.symbol)) return UNPRICED;
    try {
      const reply = ledger.reply(request, venueNow());
      const placed = request.kind === 'place' && reply.outcome.kind === 'yes';
      if (placed) this.#settleLater(request.terms.symbol);
      await ledger.sync();
      return reply;
    } catch (error) {
      failed(error);
      return unknownReply(request);
    }
  }

  async close(): Promise<void> {
    for (const cancel of this.#settling) cancel();
    const { ledger, failed, released } = this.#parts;
    await ledger.close().catch(failed);
    await released();
  }

  /** No price of this life says what an order is worth. */
  #isUnpriced(symbol: string): boolean {
    return this.#listed.has(symbol) && !this.#priced.has(symbol);
  }

  /** Symbols with an open position or order of an earlier life: they need prices too. */
  #held(): readonly string[] {
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

  #see(message: MarketMessage): void {
    const { ledger, venueNow } = this.#parts;
    for (const { symbol, ...quote } of this.#prices.see(message)) {
      if (!this.#listed.has(symbol)) continue;
      ledger.price(symbol, quote, venueNow());
      if (this.#priced.has(symbol)) continue;
      this.#priced.add(symbol);
      // What an earlier life accepted and did not see to the end.
      this.#settleLater(symbol);
    }
  }

  #settleLater(symbol: string): void {
    if (!this.#priced.has(symbol)) return;
    const { scheduler, ledger, latencyMs, venueNow, failed } = this.#parts;
    const cancel = scheduler.after(latencyMs, () => {
      this.#settling.delete(cancel);
      try {
        ledger.settle(symbol, venueNow());
      } catch (error) {
        failed(error);
      }
    });
    this.#settling.add(cancel);
  }
}

const UNPRICED: Reply = {
  to: 'place',
  outcome: { kind: 'unknown', cause: 'no price of the symbol has come yet', sent: false },
};

const unknownReply = ({ kind }: VenueRequest): Reply => ({
  to: kind,
  outcome: { kind: 'unknown', cause: 'the paper account cannot be written', sent: true },
});
