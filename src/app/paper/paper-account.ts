import { isDeepStrictEqual } from 'node:util';
import { CURRENCIES } from '../../core/currency.js';
import { ZERO, type Amount, type Ratio } from '../../core/fixed.js';
import type { Reply, VenueRequest } from '../../core/request.js';
import { createExchange } from '../../exchange/create-exchange.js';
import type { Listing, SimulatedExchange } from '../../exchange/simulated-exchange.js';
import { createSimulatedVenue, type SimulatedVenue } from '../../exchange/simulated-venue.js';
import { hashText, uuidOf } from '../../sandbox/integer-hash.js';
import type { FundingRate, PaperInput, PaperOpening } from './paper-input.js';

/** Any settlement that a venue announces lies on an hour. */
const HOUR_MS = 3_600_000;

/**
 * The simulated exchange of one paper account as a function of its inputs: the same ones, in the same
 * order and at the same times, make the same account.
 */
export class PaperAccount {
  readonly exchange: SimulatedExchange;
  readonly #venue: SimulatedVenue;
  readonly #listings = new Map<string, Listing>();
  #ids = 0;
  #events = 0;
  #rates: Readonly<Record<string, FundingRate>> = {};

  constructor({ account, startMs, terms, assumptions }: PaperOpening) {
    const none = ZERO as Amount;
    const key = hashText(`paper|${account}`);
    this.exchange = createExchange(
      {
        ...terms,
        listings: [],
        spot: { USDT: none, INR: none },
        funding: { intervalMs: HOUR_MS, rate: (symbol, at) => this.#rateAt(symbol, at) },
        nextId: () => uuidOf(startMs, key, ++this.#ids),
        startMs,
      },
      assumptions,
    );
    this.exchange.listen(() => {
      this.#events += 1;
    });
    this.#venue = createSimulatedVenue(this.exchange, { ids: true });
  }

  /** Of everything that happened so far; what leaves it as it was has changed nothing. */
  get events(): number {
    return this.#events;
  }

  /** What must be the same after the same inputs: both wallets, and the ids given. */
  get left(): readonly (Amount | number)[] {
    const wallets = CURRENCIES.flatMap((currency) => {
      const { balance, locked } = this.exchange.futuresWallet(currency);
      return [balance, locked];
    });
    return [...wallets, this.#ids];
  }

  lists(listing: Listing): boolean {
    return isDeepStrictEqual(this.#listings.get(listing.instrument.symbol), listing);
  }

  apply(input: PaperInput, at: number): void {
    if (input.kind === 'funding') this.#rates = input.rates;
    this.exchange.setTime(at);
    switch (input.kind) {
      case 'listing':
        this.#listings.set(input.listing.instrument.symbol, input.listing);
        this.exchange.list(input.listing);
        return;
      case 'price':
        this.exchange.jump(input.symbol, input.last, input.mark);
        return;
      case 'settle':
        this.exchange.settle(input.symbol);
        return;
      case 'request':
        this.reply(input.request);
        return;
      case 'funding':
      // Time alone has brought it about.
    }
  }

  reply(request: VenueRequest): Reply {
    return this.#venue.reply(request);
  }

  #rateAt(symbol: string, settlementMs: number): Ratio {
    const known = this.#rates[symbol];
    return known?.settlementMs === settlementMs ? known.rate : ZERO;
  }
}
