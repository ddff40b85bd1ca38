import { isDeepStrictEqual } from 'node:util';
import type { Listing } from '../../core/instrument.js';
import { CURRENCIES } from '../../core/currency.js';
import { ZERO, type Amount, type Ratio } from '../../core/fixed/fixed.js';
import type { Reply, VenueRequest } from '../../core/request.js';
import { createExchange } from '../../exchange/create-exchange.js';
import type { SimulatedExchange } from '../../exchange/simulated-exchange.js';
import { createExchangeGateway, type ExchangeGateway } from '../../exchange/exchange-gateway.js';
import { fixedSlippage } from '../../exchange/order/slippage.js';
import { hashText, uuidOf } from '../../core/integer-hash.js';
import type { FundingSettlement, PaperInput, PaperOpening } from './paper-input.js';

/** Venues settle funding on whole hours. */
const HOUR_MS = 3_600_000;

/**
 * The simulated exchange of one paper account. It is a pure function of its inputs: the same inputs in the
 * same order and at the same times produce the same account.
 */
export class PaperAccount {
  readonly exchange: SimulatedExchange;
  readonly #venue: ExchangeGateway;
  readonly #listings = new Map<string, Listing>();
  #ids = 0;
  #events = 0;
  #fundingRates: Readonly<Record<string, FundingSettlement>> = {};

  constructor({ account, startMs, terms: { slippageBps, ...terms }, assumptions }: PaperOpening) {
    const none = ZERO as Amount;
    const key = hashText(`paper|${account}`);
    this.exchange = createExchange(
      {
        ...terms,
        slippage: fixedSlippage(slippageBps),
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
    this.#venue = createExchangeGateway(this.exchange, { ids: true });
  }

  /** Exchange events so far. An input that leaves it unchanged has changed nothing. */
  get eventCount(): number {
    return this.#events;
  }

  /** The state that a replay must reproduce: both wallets and the number of ids given out. */
  get checkValues(): readonly (Amount | number)[] {
    const wallets = CURRENCIES.flatMap((currency) => {
      const { balance, locked } = this.exchange.futuresWallet(currency);
      return [balance, locked];
    });
    return [...wallets, this.#ids];
  }

  hasListing(listing: Listing): boolean {
    return isDeepStrictEqual(this.#listings.get(listing.instrument.symbol), listing);
  }

  apply(input: PaperInput, at: number): void {
    if (input.kind === 'funding') this.#fundingRates = input.rates;
    this.exchange.setTime(at);
    switch (input.kind) {
      case 'listing':
        this.#listings.set(input.listing.instrument.symbol, input.listing);
        this.exchange.setListing(input.listing);
        return;
      case 'price':
        this.exchange.gapTo(input.symbol, input.last, input.mark);
        return;
      case 'settle':
        this.exchange.matchPending(input.symbol);
        return;
      case 'request':
        this.reply(input.request);
        return;
      case 'funding':
      // `setTime` has settled it.
    }
  }

  reply(request: VenueRequest): Reply {
    return this.#venue.reply(request);
  }

  #rateAt(symbol: string, settlementMs: number): Ratio {
    const known = this.#fundingRates[symbol];
    return known?.settlementMs === settlementMs ? known.rate : ZERO;
  }
}
