import type { Currency } from '../core/currency.js';
import { fixed, type Price, type Ratio } from '../core/fixed.js';
import type { OrderRecord } from './order-record.js';
import type { PositionRecord } from './position-record.js';
import type { Listing } from './simulated-exchange.js';

/** Prices strictly between these set nothing off. undefined where nothing waits on that side. */
export interface QuietBand {
  readonly lastFrom: Price | undefined;
  readonly lastTo: Price | undefined;
  readonly markFrom: Price | undefined;
  readonly markTo: Price | undefined;
}

export type BookOrder = OrderRecord<SymbolBook>;
export type BookPosition = PositionRecord<SymbolBook>;

/** Everything of one instrument: price, orders that may trade, positions, leverage, lock. */
export class SymbolBook {
  listing: Listing;
  readonly symbol: string;
  /** 0 until the first price is told. */
  last: Price = fixed(0);
  mark: Price = fixed(0);
  /** Of the currencies in it another user action is in progress. */
  readonly locks = new Set<Currency>();
  delisting = false;
  /** undefined: orders or positions have changed since it was found. */
  quiet: QuietBand | undefined;
  /** Accepted, not yet matched for the first time; oldest first. */
  readonly waiting: BookOrder[] = [];
  /** Limit orders at rest, oldest first. */
  readonly resting: BookOrder[] = [];
  readonly positions = new Map<Currency, BookPosition>();
  readonly leverage = new Map<Currency, Ratio>();

  constructor(listing: Listing) {
    this.listing = listing;
    this.symbol = listing.instrument.symbol;
  }

  get active(): boolean {
    return this.waiting.length > 0 || this.resting.length > 0 || this.positions.size > 0;
  }

  /** Orders of a currency that may still trade, stops and targets apart. */
  pending(currency: Currency): readonly BookOrder[] {
    if (this.waiting.length === 0 && this.resting.length === 0) return NO_ORDERS;
    return [...this.waiting, ...this.resting].filter((order) => order.currency === currency);
  }

  /** The position that an order will belong to: open, or initiated by an order that still may fill. */
  positionId(currency: Currency): string | undefined {
    return this.positions.get(currency)?.id ?? this.pending(currency)[0]?.positionId;
  }

  rest(order: BookOrder): void {
    this.resting.push(order);
    this.quiet = undefined;
  }

  /** A stop or target that rests becomes what it was before it triggered. */
  unrest(leg: BookOrder): void {
    const at = this.resting.indexOf(leg);
    if (at >= 0) this.resting.splice(at, 1);
    this.quiet = undefined;
  }

  /** An order that has ended waits for nothing and guards nothing. */
  remove(order: BookOrder): void {
    this.quiet = undefined;
    for (const list of [this.waiting, this.resting]) {
      const at = list.indexOf(order);
      if (at >= 0) list.splice(at, 1);
    }
    if (order.role === 'trade') return;
    for (const position of this.positions.values()) {
      if (position.stopLoss === order) position.stopLoss = undefined;
      if (position.takeProfit === order) position.takeProfit = undefined;
    }
  }
}

const NO_ORDERS: readonly BookOrder[] = [];
