import type { CloseReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { Decimal } from '../core/decimal.js';
import {
  decimalFromFixed,
  FINEST_PLACES,
  fixed,
  FIXED_PLACES,
  fixedFromDecimal,
  isCoarse,
  isLess,
  multiplyExact,
  smaller,
  subtract,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { OrderStatus, Side } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { Announcer } from './announcer.js';
import type { Assumptions } from './assumptions.js';
import type { Bookkeeper, Trade } from './bookkeeper.js';
import { bigFromAmount, priceOf } from './margin.js';
import { OrderRecord } from './order-record.js';
import type { Wallet } from './wallet.js';
import type { BookOrder, BookPosition } from './symbol-book.js';

export interface MatcherParts {
  readonly assumptions: Assumptions;
  readonly announcer: Announcer;
  readonly bookkeeper: Bookkeeper;
  readonly wallet: (currency: Currency) => Wallet;
  readonly nextId: () => string;
  readonly nowMs: () => number;
  readonly slippageBps: number;
  readonly accepted: (order: BookOrder) => void;
  readonly ended: (order: BookOrder) => void;
  readonly closed: (close: CloseReport) => void;
}

/** How an order meets its market: where, as whom, and how much of it comes off a position. */
interface Match {
  readonly price: Price;
  readonly maker: boolean;
  /** Of the order, what is to trade. */
  readonly quantity: Quantity;
  readonly closing: Quantity;
}

/** How much of an order trades, and why the rest does not. */
interface Extent {
  readonly quantity: Quantity;
  readonly reason?: string;
}

/** What fills do to orders and to what depends on them. Prices are decided by who calls. */
export class Matcher {
  readonly #parts: MatcherParts;
  readonly #slipped: Readonly<Record<Side, Decimal>>;

  constructor(parts: MatcherParts) {
    this.#parts = parts;
    const share = new Decimal(parts.slippageBps).div(10_000);
    this.#slipped = { buy: share.plus(1), sell: share.negated().plus(1) };
  }

  /** The present price, worsened by slippage for the side that takes. */
  takerPrice(price: Price, side: Side): Price {
    if (this.#parts.slippageBps === 0) return price;
    const slipped = decimalFromFixed(price).times(this.#slipped[side]);
    return fixedFromDecimal(slipped, isCoarse(price) ? FIXED_PLACES : FINEST_PLACES);
  }

  /** Fills what position and wallet allow at this price; the order does not outlive it. */
  fill(order: BookOrder, price: Price, maker: boolean): void {
    const position = order.book.positions.get(order.currency);
    const closing = opposes(position, order.side)
      ? smaller(order.remaining, position.quantity)
      : NONE;
    const match = { price, maker, quantity: order.remaining, closing };
    const { quantity, reason } = this.#extent(order, match);
    if (quantity > 0) {
      this.#trade({ order, price, quantity, closing, maker, liquidation: false });
    }
    if (order.role !== 'trade') this.#dropSiblings(position);
    if (order.open) this.refuse(order, reason);
  }

  /** Fills so much and no less: a limit at its own price, what takes at the present one. */
  fillPart(order: BookOrder, quantity: Quantity): RejectionCode | undefined {
    const { book, side, currency } = order;
    const taking = order.type === 'limit' ? book.last : this.takerPrice(book.last, side);
    const rests = book.resting.includes(order);
    const maker = rests || (order.type === 'limit' && !order.crosses(book.last));
    const price = maker ? order.price : taking;
    const position = book.positions.get(currency);
    const closing = opposes(position, side) ? smaller(quantity, position.quantity) : NONE;
    const extent = this.#extent(order, { price, maker, quantity, closing });
    if (isLess(extent.quantity, quantity)) {
      return order.reduceOnly ? 'reduce-only-without-position' : 'insufficient-balance';
    }
    this.#trade({ order, price, quantity, closing, maker, liquidation: false });
    this.#dropPointless(order);
    return undefined;
  }

  /** Ends what the exchange does not take after it was accepted (supplement part 10). */
  refuse(order: BookOrder, reason: string | undefined): void {
    this.cancel(order, this.#parts.assumptions.asyncRefusal, reason);
  }

  /** A stop or target has triggered: it closes what it covers, and its sibling goes. */
  trigger(leg: BookOrder, position: BookPosition, price: Price): void {
    const quantity = leg.coverOf(position.quantity);
    leg.cover(quantity);
    const bound = leg.type === 'limit' && this.#parts.assumptions.limitLeg === 'rests';
    if (bound && !leg.crosses(price)) {
      this.#rest(leg);
      return;
    }
    const taken = this.takerPrice(price, leg.side);
    this.#trade({
      order: leg,
      price: bound && !leg.crosses(taken) ? leg.price : taken,
      quantity,
      closing: quantity,
      maker: false,
      liquidation: false,
    });
    this.#dropSiblings(position);
  }

  #dropSiblings(position: BookPosition | undefined): void {
    for (const sibling of [position?.stopLoss, position?.takeProfit]) {
      if (sibling?.open === true) this.cancel(sibling, 'system-canceled');
    }
  }

  /** A limit that the market has passed: it waits for its price, and triggers no more. */
  #rest(leg: BookOrder): void {
    const { announcer } = this.#parts;
    leg.book.rest(leg);
    if (announcer.heard) announcer.add({ kind: 'order', order: leg.snapshot() });
  }

  /** Closes a position at the price where its collateral is gone. */
  liquidate(position: BookPosition): void {
    const { book, currency, quantity } = position;
    const price = priceOf(position.bankruptcyValue, quantity);
    const order = new OrderRecord({
      orderId: this.#parts.nextId(),
      clientOrderId: undefined,
      book,
      currency,
      role: 'trade',
      side: position.longSign === 1 ? 'sell' : 'buy',
      type: 'market',
      quantity,
      price,
      reduceOnly: true,
      leverage: position.leverage,
      hedgeRate: position.entryHedgeRate,
      positionId: position.id,
      nowMs: this.#parts.nowMs(),
    });
    this.#parts.accepted(order);
    this.#trade({ order, price, quantity, closing: quantity, maker: false, liquidation: true });
  }

  /** Ends an order that may still trade. */
  cancel(order: BookOrder, status: OrderStatus, reason?: string): void {
    const { partialCancelStatus } = this.#parts.assumptions;
    const sticky = order.hasFilled && partialCancelStatus === 'partially-filled';
    order.end(sticky ? 'partially-filled' : status, reason, this.#parts.nowMs());
    this.#leave(order);
    this.#dropLegs(order);
  }

  #extent(order: BookOrder, match: Match): Extent {
    const { closing, quantity } = match;
    if (order.reduceOnly) return { quantity: closing, reason: 'nothing left to reduce' };
    if (order.reverses && !order.hasFilled && closing === 0) {
      return { quantity: NONE, reason: 'position not in sync with exchange' };
    }
    if (closing === quantity) return { quantity };
    const drops = this.#parts.assumptions.oppositeExcess === 'drop' && !order.reverses;
    if (closing > 0 && drops) return { quantity: closing, reason: 'larger than the position' };
    return this.#affords(order, match)
      ? { quantity }
      : { quantity: closing, reason: 'insufficient balance' };
  }

  /** A flip closes first: what that frees, or takes, counts. */
  #affords(order: BookOrder, { price, maker, quantity, closing }: Match): boolean {
    const { currency, side, leverage } = order;
    const { bookkeeper, wallet } = this.#parts;
    const opening = subtract(quantity, closing);
    const margin = bookkeeper.marginOf({ currency, side, price, quantity: opening, leverage });
    const fee = bookkeeper.feeOf(multiplyExact(price, quantity), currency, maker);
    const position = closing > 0 ? order.book.positions.get(currency) : undefined;
    const freed = position === undefined ? 0n : bookkeeper.freedBy(position, price);
    return bigFromAmount(wallet(currency).balance) + freed >= margin + fee;
  }

  /** Told in this order: fill, close, position, the order's end, then what follows for others. */
  #trade(trade: Trade): void {
    const { order } = trade;
    const { announcer, bookkeeper, closed } = this.#parts;
    const { execution, close, ended, opened } = bookkeeper.book(trade);
    if (close !== undefined) closed(close);
    if (announcer.heard) {
      announcer.add({ kind: 'fill', order: order.snapshot(), execution });
      if (close !== undefined) announcer.add({ kind: 'close', close });
      announcer.add({ kind: 'position', symbol: order.symbol, currency: order.currency });
    }
    if (!order.open) this.#leave(order);
    if (ended !== undefined) this.#retire(ended, { by: trade, successor: opened });
    if (opened !== undefined) this.#attach(order, opened);
    if (!order.open) this.#dropLegs(order);
  }

  /** The entry's stop and target now guard the position; a second one replaces the first. */
  #attach(entry: BookOrder, position: BookPosition): void {
    for (const leg of entry.legs) {
      const slot = leg.role === 'stop-loss' ? 'stopLoss' : 'takeProfit';
      const present = position[slot];
      const kept = present !== undefined && this.#parts.assumptions.secondLeg === 'keep';
      if (!leg.open || present === leg || kept) continue;
      position[slot] = leg;
      leg.joinPosition(position.id);
      if (present !== undefined) this.cancel(present, 'system-canceled');
    }
  }

  /** Stops and targets of an entry that has ended and that guard no position. */
  #dropLegs(entry: BookOrder): void {
    if (entry.legs.length === 0) return;
    const position = entry.book.positions.get(entry.currency);
    for (const leg of entry.legs) {
      const guards = position?.stopLoss === leg || position?.takeProfit === leg;
      if (leg.open && !guards) this.cancel(leg, 'system-canceled');
    }
  }

  /** What guarded a position that is gone, or would have reduced it, goes with it. */
  #retire(
    position: BookPosition,
    end: { readonly by: Trade; readonly successor: BookPosition | undefined },
  ): void {
    const { by } = end;
    if (!this.#outlives(by, end.successor)) {
      for (const leg of [position.stopLoss, position.takeProfit]) {
        if (leg?.open === true) this.cancel(leg, 'system-canceled');
      }
    }
    const pending = position.book.pending(position.currency);
    for (const order of pending) if (order !== by.order) this.#dropPointless(order);
    const entries = pending.filter((order) => order.open && !order.reduceOnly && !order.reverses);
    if (entries.length > 0) this.#moveEntries(entries, end.successor?.id ?? this.#parts.nextId());
  }

  /** Whether stops and targets stay listed, though what they guarded was closed (assumption). */
  #outlives({ order, liquidation }: Trade, successor: BookPosition | undefined): boolean {
    if (this.#parts.assumptions.legsAtClose === 'cancel') return false;
    const plain = order.role === 'trade' && !order.reverses && !liquidation;
    return plain && successor === undefined;
  }

  /** A reduce-only order whose position is gone must not wait for the next (assumption). */
  #dropPointless(order: BookOrder): void {
    if (!order.open || !order.reduceOnly) return;
    if (this.#parts.assumptions.reduceOnlyAtClose === 'keep') return;
    if (opposes(order.book.positions.get(order.currency), order.side)) return;
    this.cancel(order, 'system-canceled', 'its position is closed');
  }

  /** Entries that still wait belong to the position that is there now, or initiate the next. */
  #moveEntries(entries: readonly BookOrder[], positionId: string): void {
    for (const entry of entries) {
      for (const order of [entry, ...entry.legs]) order.joinPosition(positionId);
    }
  }

  #leave(order: BookOrder): void {
    order.book.remove(order);
    this.#parts.ended(order);
    const { announcer } = this.#parts;
    if (announcer.heard) announcer.add({ kind: 'order', order: order.snapshot() });
  }
}

const NONE = fixed<'quantity'>(0);

function opposes(position: BookPosition | undefined, side: Side): position is BookPosition {
  return position !== undefined && (position.longSign === 1) !== (side === 'buy');
}
