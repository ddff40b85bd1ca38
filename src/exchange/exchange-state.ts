import type { CloseReport } from '../core/account.js';
import { assert, AssertionError } from '../core/assert.js';
import { CURRENCIES, type Currency } from '../core/currency.js';
import { fixed, SCALE, type Ratio } from '../core/fixed.js';
import { Announcer } from './announcer.js';
import type { Assumptions } from './assumptions.js';
import { OrderRegister } from './order-register.js';
import type { ExchangeOptions, Listing } from './simulated-exchange.js';
import { SymbolBook, type BookOrder, type BookPosition } from './symbol-book.js';
import { Wallet } from './wallet.js';

export const ONE = fixed<'ratio'>(SCALE);

/** All that the exchange knows: what its parts share, and change one call at a time. */
export class ExchangeState {
  readonly options: ExchangeOptions;
  readonly assumptions: Assumptions;
  readonly announcer = new Announcer();
  readonly books = new Map<string, SymbolBook>();
  readonly wallets: Readonly<Record<Currency, Wallet>>;
  readonly orders: OrderRegister;
  /** Oldest first. */
  readonly closes: CloseReport[] = [];
  /** Venue ms UTC. */
  nowMs: number;
  /** INR per USDT, now. */
  #hedgeRate: Ratio;

  constructor(options: ExchangeOptions, assumptions: Assumptions) {
    this.options = options;
    this.assumptions = assumptions;
    this.orders = new OrderRegister(assumptions.orderHistory, options.retention);
    this.nowMs = options.startMs;
    this.#hedgeRate = options.hedgeRate;
    for (const listing of options.listings) this.list(listing);
    this.wallets = {
      USDT: new Wallet('USDT', options.spot.USDT, options.futures.USDT),
      INR: new Wallet('INR', options.spot.INR, options.futures.INR),
    };
  }

  /** What stands in the book stays as it was accepted. */
  list(listing: Listing): void {
    const { symbol } = listing.instrument;
    const book = this.books.get(symbol);
    if (book === undefined) this.books.set(symbol, new SymbolBook(listing));
    else {
      book.listing = listing;
      book.quiet = undefined;
    }
  }

  /** @throws AssertionError of a symbol that is not listed */
  book(symbol: string): SymbolBook {
    return this.books.get(symbol) ?? unlisted(symbol);
  }

  /** Of the moment: 1 for USDT. */
  hedgeRate(currency: Currency): Ratio {
    return currency === 'INR' ? this.#hedgeRate : ONE;
  }

  /** What turns a gain in USDT into the position's currency; its margin stays as it was booked. */
  pnlRate({ currency, entryHedgeRate }: BookPosition): Ratio {
    return this.assumptions.pnlHedgeRate === 'entry' ? entryHedgeRate : this.hedgeRate(currency);
  }

  setHedgeRate(rate: Ratio): void {
    assert(rate > 0, 'A hedge rate is above 0');
    this.#hedgeRate = rate;
  }

  /** Open positions only. */
  position(positionId: string): BookPosition | undefined {
    for (const book of this.books.values()) {
      for (const currency of CURRENCIES) {
        const position = book.positions.get(currency);
        if (position?.id === positionId) return position;
      }
    }
    return undefined;
  }

  /** Open now, closed at least in part, or named by an order. */
  knowsPosition(positionId: string): boolean {
    return (
      this.position(positionId) !== undefined ||
      this.closes.some((close) => close.positionId === positionId) ||
      this.orders.belongsTo(positionId)
    );
  }

  accept(order: BookOrder): void {
    this.orders.add(order);
    this.tellOrder(order);
  }

  /** Waits for `announcer.tell`, like every event. */
  tellOrder(order: BookOrder): void {
    if (this.announcer.heard) this.announcer.add({ kind: 'order', order: order.snapshot() });
  }

  tellPosition({ book, currency }: BookPosition): void {
    if (!this.announcer.heard) return;
    this.announcer.add({ kind: 'position', symbol: book.symbol, currency });
  }
}

function unlisted(symbol: string): never {
  throw new AssertionError(`The exchange lists ${symbol}`);
}
