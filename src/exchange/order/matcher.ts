import { assert } from '../../core/assert.js';
import { Decimal } from '../../core/fixed/decimal.js';
import {
  decimalFromFixed,
  MAX_PLACES,
  fixed,
  FIXED_PLACES,
  fixedFromDecimal,
  fitsEightPlaces,
  isLess,
  multiplyExact,
  smaller,
  subtract,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { Bookkeeper, MatchedTrade } from '../account/bookkeeper.js';
import { bigFromAmount, priceOf } from '../account/margin.js';
import type { ExchangeState } from '../exchange-state.js';
import type { ExchangeOrderState, ExchangePositionState } from '../price/symbol-state.js';
import type { DependentOrders } from './dependent-orders.js';
import type { ExchangeOrderCanceler } from './order-canceler.js';
import { opposes, OrderRecord } from './order-record.js';

export interface MatcherParts {
  readonly state: ExchangeState;
  readonly bookkeeper: Bookkeeper;
  readonly canceler: ExchangeOrderCanceler;
  readonly dependents: DependentOrders;
}

/** A possible trade of an order: price, maker or taker, and how much of it closes. */
interface Match {
  readonly price: Price;
  readonly maker: boolean;
  /** The quantity to trade. */
  readonly quantity: Quantity;
  readonly closing: Quantity;
}

/** The quantity that may trade, and the reason for refusing the rest. */
interface FillLimit {
  readonly quantity: Quantity;
  readonly reason?: string;
}

/** Fills orders and liquidates positions. Callers decide the prices. */
export class Matcher {
  readonly #state: ExchangeState;
  readonly #bookkeeper: Bookkeeper;
  readonly #canceler: ExchangeOrderCanceler;
  readonly #dependents: DependentOrders;
  readonly #slippageBps: number;
  readonly #slippageFactor: Readonly<Record<Side, Decimal>>;

  constructor(parts: MatcherParts) {
    const slippageBps = parts.state.options.slippageBps ?? 0;
    assert(
      slippageBps >= 0 && slippageBps < 10_000,
      'Slippage is from 0 up to, but not including, 10,000 basis points',
    );
    this.#state = parts.state;
    this.#bookkeeper = parts.bookkeeper;
    this.#canceler = parts.canceler;
    this.#dependents = parts.dependents;
    this.#slippageBps = slippageBps;
    const share = new Decimal(slippageBps).div(10_000);
    this.#slippageFactor = { buy: share.plus(1), sell: share.negated().plus(1) };
  }

  /** The current price, worsened by slippage for the taker's side. */
  takerPrice(price: Price, side: Side): Price {
    if (this.#slippageBps === 0) return price;
    const slipped = decimalFromFixed(price).times(this.#slippageFactor[side]);
    return fixedFromDecimal(slipped, fitsEightPlaces(price) ? FIXED_PLACES : MAX_PLACES);
  }

  /** Fills the quantity that position and wallet allow at this price, and refuses the rest. */
  fill(order: ExchangeOrderState, price: Price, maker: boolean): void {
    const position = order.symbolState.positions.get(order.currency);
    const closing = opposes(position, order.side)
      ? smaller(order.remaining, position.quantity)
      : ZERO_QUANTITY;
    const match = { price, maker, quantity: order.remaining, closing };
    const { quantity, reason } = this.#fillLimit(order, match);
    if (quantity > 0) {
      this.#trade({ order, price, quantity, closing, maker, liquidation: false });
    }
    if (order.role !== 'trade') this.#dependents.cancelProtective(position);
    if (order.open) this.#canceler.reject(order, reason);
  }

  /** Fills exactly this quantity: makers at the limit price, takers at the current price. */
  fillPart(order: ExchangeOrderState, quantity: Quantity): RejectionCode | undefined {
    const { symbolState, side, currency } = order;
    const taking =
      order.type === 'limit' ? symbolState.last : this.takerPrice(symbolState.last, side);
    const rests = symbolState.resting.includes(order);
    const maker = rests || (order.type === 'limit' && !order.crosses(symbolState.last));
    const price = maker ? order.price : taking;
    const position = symbolState.positions.get(currency);
    const closingQuantity = opposes(position, side)
      ? smaller(quantity, position.quantity)
      : ZERO_QUANTITY;
    const fillLimit = this.#fillLimit(order, { price, maker, quantity, closing: closingQuantity });
    if (isLess(fillLimit.quantity, quantity)) {
      return order.reduceOnly ? 'reduce-only-without-position' : 'insufficient-balance';
    }
    this.#trade({ order, price, quantity, closing: closingQuantity, maker, liquidation: false });
    this.#dependents.cancelOrphanedReduceOnly(order);
    return undefined;
  }

  /** Executes a triggered stop or target and cancels its sibling. */
  trigger(order: ExchangeOrderState, position: ExchangePositionState, price: Price): void {
    const quantity = order.closableQuantity(position.quantity);
    order.setQuantity(quantity);
    const restsAtLimit = order.type === 'limit' && this.#state.assumptions.limitLeg === 'rests';
    if (restsAtLimit && !order.crosses(price)) {
      this.#restAtLimit(order);
      return;
    }
    const takerPrice = this.takerPrice(price, order.side);
    this.#trade({
      order: order,
      price: restsAtLimit && !order.crosses(takerPrice) ? order.price : takerPrice,
      quantity,
      closing: quantity,
      maker: false,
      liquidation: false,
    });
    this.#dependents.cancelProtective(position);
  }

  /** A triggered limit whose price the market has passed rests and does not trigger again. */
  #restAtLimit(order: ExchangeOrderState): void {
    order.symbolState.addResting(order);
    this.#state.queueOrderEvent(order);
  }

  /** Closes a position at its bankruptcy price. */
  liquidate(position: ExchangePositionState): void {
    const { symbolState, currency, quantity } = position;
    const price = priceOf(position.bankruptcyValue, quantity);
    const order = new OrderRecord({
      orderId: this.#state.options.nextId(),
      clientOrderId: undefined,
      symbolState,
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
      nowMs: this.#state.nowMs,
    });
    this.#state.accept(order);
    this.#trade({ order, price, quantity, closing: quantity, maker: false, liquidation: true });
  }

  #fillLimit(order: ExchangeOrderState, match: Match): FillLimit {
    const { closing, quantity } = match;
    if (order.reduceOnly) return { quantity: closing, reason: 'nothing left to reduce' };
    if (order.reverses && !order.hasFilled && closing === 0) {
      return { quantity: ZERO_QUANTITY, reason: 'position not in sync with exchange' };
    }
    if (closing === quantity) return { quantity };
    const dropsExcess = this.#state.assumptions.oppositeExcess === 'drop' && !order.reverses;
    if (closing > 0 && dropsExcess)
      return { quantity: closing, reason: 'larger than the position' };
    return this.#canAfford(order, match)
      ? { quantity }
      : { quantity: closing, reason: 'insufficient balance' };
  }

  /** A flip closes first, so the funds that closing frees or takes count. */
  #canAfford(order: ExchangeOrderState, { price, maker, quantity, closing }: Match): boolean {
    const { currency, side, leverage } = order;
    const bookkeeper = this.#bookkeeper;
    const opening = subtract(quantity, closing);
    const margin = bookkeeper.marginOf({ currency, side, price, quantity: opening, leverage });
    const fee = bookkeeper.feeOf(multiplyExact(price, quantity), currency, maker);
    const position = closing > 0 ? order.symbolState.positions.get(currency) : undefined;
    const freed = position === undefined ? 0n : bookkeeper.freedBy(position, price);
    return bigFromAmount(this.#state.wallets[currency].balance) + freed >= margin + fee;
  }

  /** Events in order: fill, close, position, end of the order, then changes of other orders. */
  #trade(trade: MatchedTrade): void {
    const { order } = trade;
    const { eventQueue, closes } = this.#state;
    const { execution, close, ended, opened } = this.#bookkeeper.applyTrade(trade);
    if (close !== undefined) closes.push(close);
    if (eventQueue.hasListeners) {
      eventQueue.add({ kind: 'fill', order: order.snapshot(), execution });
      if (close !== undefined) eventQueue.add({ kind: 'close', close });
      eventQueue.add({ kind: 'position', symbol: order.symbol, currency: order.currency });
    }
    if (!order.open) this.#canceler.removeEnded(order);
    if (ended !== undefined) {
      this.#dependents.onPositionClosed(ended, { by: trade, successor: opened });
    }
    if (opened !== undefined) this.#dependents.attach(order, opened);
    if (!order.open) this.#canceler.cancelUnattached(order);
  }
}

const ZERO_QUANTITY = fixed<'quantity'>(0);
