import {
  absolute,
  add,
  fixed,
  isAtLeast,
  isLess,
  smaller,
  subtract,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { Bookkeeper, MatchedTrade } from '../account/bookkeeper.js';
import type { ExchangeState } from '../exchange-state.js';
import type { ExchangeOrderState, ExchangePositionState } from '../price/symbol-state.js';
import type { DependentOrders } from './dependent-orders.js';
import type { ExchangeOrderCanceler } from './order-canceler.js';
import { opposes, OrderRecord } from './order-record.js';
import type { SlippageModel } from './slippage.js';

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
  readonly #slippage: SlippageModel | undefined;

  constructor(parts: MatcherParts) {
    this.#state = parts.state;
    this.#bookkeeper = parts.bookkeeper;
    this.#canceler = parts.canceler;
    this.#dependents = parts.dependents;
    this.#slippage = parts.state.options.slippage;
  }

  /** A price, worsened by slippage for the taker of this quantity. */
  #takerPrice(price: Price, { symbol, side }: ExchangeOrderState, quantity: Quantity): Price {
    if (this.#slippage === undefined) return price;
    return this.#slippage({ symbol, side, price, quantity });
  }

  /** `fill` at the market price with its slippage. */
  fillAtMarket(order: ExchangeOrderState): void {
    const { last } = order.symbolState;
    const quantity = order.symbolState.tradable(order.remaining);
    const price = this.#takerPrice(last, order, quantity);
    this.fill(order, price, false, absolute(subtract(price, last)));
  }

  /**
   * Fills the quantity that position and wallet allow at this price, and refuses the rest. A part beyond the volume of
   * the candle stays open.
   * @param slippage part of the price, USDT per unit
   */
  fill(
    order: ExchangeOrderState,
    price: Price,
    maker: boolean,
    slippage: Price = NO_SLIPPAGE,
  ): void {
    const position = order.symbolState.positions.get(order.currency);
    const { remaining, symbolState } = order;
    const wanted = order.role === 'trade' ? symbolState.tradable(remaining) : remaining;
    if (wanted === 0) return;
    const closing = opposes(position, order.side)
      ? smaller(wanted, position.quantity)
      : ZERO_QUANTITY;
    const { quantity, reason } = this.#fillLimit(order, {
      price,
      maker,
      quantity: wanted,
      closing,
    });
    if (quantity > 0) {
      if (order.role === 'trade') symbolState.takeVolume(quantity);
      this.#trade({ order, price, quantity, closing, maker, slippage, liquidation: false });
    }
    if (order.role !== 'trade') this.#dependents.cancelProtective(position);
    if (order.open && isLess(quantity, wanted)) this.#canceler.reject(order, reason);
  }

  /** Fills exactly this quantity: makers at the limit price, takers at the current price. */
  fillPart(order: ExchangeOrderState, quantity: Quantity): RejectionCode | undefined {
    const { symbolState, side, currency } = order;
    const { last } = symbolState;
    const taking = order.type === 'limit' ? last : this.#takerPrice(last, order, quantity);
    const rests = symbolState.resting.includes(order);
    const maker = rests || (order.type === 'limit' && !order.crosses(last));
    const price = maker ? order.price : taking;
    const slippage = maker ? NO_SLIPPAGE : absolute(subtract(taking, last));
    const position = symbolState.positions.get(currency);
    const closingQuantity = opposes(position, side)
      ? smaller(quantity, position.quantity)
      : ZERO_QUANTITY;
    const fillLimit = this.#fillLimit(order, { price, maker, quantity, closing: closingQuantity });
    if (isLess(fillLimit.quantity, quantity)) {
      return order.reduceOnly ? 'reduce-only-without-position' : 'insufficient-balance';
    }
    const closing = closingQuantity;
    this.#trade({ order, price, quantity, closing, maker, slippage, liquidation: false });
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
    const slipped = this.#takerPrice(price, order, quantity);
    const takerPrice = restsAtLimit && !order.crosses(slipped) ? order.price : slipped;
    this.#trade({
      order,
      price: takerPrice,
      quantity,
      closing: quantity,
      maker: false,
      slippage: absolute(subtract(takerPrice, price)),
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
    const price = position.bankruptcyValue.average(quantity);
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
    this.#trade({
      order,
      price,
      quantity,
      closing: quantity,
      maker: false,
      slippage: NO_SLIPPAGE,
      liquidation: true,
    });
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
    const fee = bookkeeper.feeOf(price, quantity, currency, maker);
    const position = closing > 0 ? order.symbolState.positions.get(currency) : undefined;
    const { balance } = this.#state.wallets[currency];
    const free =
      position === undefined ? balance : add(balance, bookkeeper.freedBy(position, price));
    return isAtLeast(free, add(margin, fee));
  }

  /** Events in order: fill, close, position, end of the order, then changes of other orders. */
  #trade(trade: MatchedTrade): void {
    const { order } = trade;
    const { eventQueue, closes } = this.#state;
    const { execution, close, ended, opened } = this.#bookkeeper.applyTrade(trade);
    if (close !== undefined) closes.add(close);
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
const NO_SLIPPAGE = fixed<'price'>(0);
