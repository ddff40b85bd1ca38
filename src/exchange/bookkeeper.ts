import type { CloseReport } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import {
  add,
  fixed,
  floorToStep,
  isMore,
  larger,
  multiplyExact,
  negate,
  smaller,
  subtract,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed.js';
import type { Side } from '../core/order.js';
import type { Assumptions } from './assumptions.js';
import { FeeLedger, rebateOf, type Rebate } from './fee-ledger.js';
import {
  amountFromBig,
  bigFromAmount,
  collateralOf,
  feeOf,
  initialMarginOf,
  moneyOf,
} from './margin.js';
import { PositionRecord } from './position-record.js';
import type { Execution } from './simulated-exchange.js';
import type { BookOrder, BookPosition, SymbolBook } from './symbol-book.js';
import type { Wallet } from './wallet.js';
import { wholeSecond } from './whole-second.js';

export interface BookkeeperParts {
  readonly assumptions: Assumptions;
  readonly wallet: (currency: Currency) => Wallet;
  readonly nextId: () => string;
  readonly nowMs: () => number;
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  readonly hedgeRate: (currency: Currency) => Ratio;
  readonly pnlRate: (position: BookPosition) => Ratio;
}

/** A quantity that is to be opened at a price. */
export interface Opening {
  readonly currency: Currency;
  readonly side: Side;
  readonly price: Price;
  readonly quantity: Quantity;
  readonly leverage: Ratio;
}

/** A trade that will happen: price and quantity are decided. */
export interface Trade {
  readonly order: BookOrder;
  readonly price: Price;
  readonly quantity: Quantity;
  /** Of the quantity, what comes off the position that it opposes; the rest opens. */
  readonly closing: Quantity;
  readonly maker: boolean;
  /** At the exact bankruptcy value of the position, which `price` only rounds. */
  readonly liquidation: boolean;
}

/** What a trade has changed. */
export interface Booked {
  readonly execution: Execution;
  readonly close: CloseReport | undefined;
  /** The position that the trade took the last of. */
  readonly ended: BookPosition | undefined;
  /** The position that the trade opened or added to. */
  readonly opened: BookPosition | undefined;
}

/** Books trades into order, position and wallet: each amount is rounded once, here. */
export class Bookkeeper {
  readonly fees = new FeeLedger();
  readonly #parts: BookkeeperParts;

  constructor(parts: BookkeeperParts) {
    this.#parts = parts;
  }

  /** What is locked when a value is opened, close fee included: 1e-8 of the wallet's currency. */
  marginOf({ currency, side, price, quantity, leverage }: Opening): bigint {
    return initialMarginOf({
      value: multiplyExact(price, quantity),
      longSign: side === 'buy' ? 1 : -1,
      leverage,
      takerFeeRate: this.#parts.takerFeeRate,
      hedgeRate: this.#parts.hedgeRate(currency),
    });
  }

  /** In 1e-8 of the wallet's currency. */
  feeOf(value: bigint, currency: Currency, maker: boolean): bigint {
    const { makerFeeRate, takerFeeRate, hedgeRate } = this.#parts;
    return feeOf(value, maker ? makerFeeRate : takerFeeRate, hedgeRate(currency));
  }

  /** What closing a whole position at `price` adds to the free balance, before fees: may be below 0. */
  freedBy(position: BookPosition, price: Price): bigint {
    const value = multiplyExact(price, position.quantity);
    const gain = position.gain(value, position.cost);
    return bigFromAmount(position.margin) + moneyOf(gain, this.#parts.pnlRate(position));
  }

  book(trade: Trade): Booked {
    const { order, price, quantity, closing, maker, liquidation } = trade;
    const { currency } = order;
    const position = order.book.positions.get(currency);
    const value =
      liquidation && position !== undefined
        ? position.bankruptcyValue
        : multiplyExact(price, quantity);
    const margin = position?.margin ?? NOTHING;
    const close = closing > 0 ? this.#close(trade, position) : undefined;
    const usual = amountFromBig(this.feeOf(value, currency, maker));
    const fee =
      liquidation && close !== undefined
        ? this.#liquidationFee(usual, add(margin, close.pnl))
        : usual;
    this.#parts.wallet(currency).payFee(fee);
    const ended = close !== undefined && position?.quantity === 0 ? position : undefined;
    const opened = isMore(quantity, closing) ? this.#open(trade, ended) : undefined;
    const { nextId, nowMs, hedgeRate } = this.#parts;
    const execution = { id: nextId(), price, quantity, fee, maker, time: nowMs() };
    order.record(execution, value);
    order.book.quiet = undefined;
    const rebate = this.#rebate(currency, fee);
    this.fees.chargeTrade({ order, execution, value, hedgeRate: hedgeRate(currency), rebate });
    return { execution, close, ended, opened };
  }

  #rebate(currency: Currency, fee: Amount): Rebate | undefined {
    if (this.#parts.assumptions.rebates === 'none') return undefined;
    const amount = rebateOf(fee);
    if (amount === 0) return undefined;
    this.#parts.wallet(currency).creditRebate(amount);
    return { id: this.#parts.nextId(), amount };
  }

  #close(trade: Trade, position: BookPosition | undefined): CloseReport {
    const { order, price, closing: quantity, liquidation } = trade;
    assert(position !== undefined, 'What closes has a position');
    const { book, currency } = order;
    const { entryPrice } = position;
    const share = position.share(quantity);
    const value = liquidation ? position.bankruptcyValue : multiplyExact(price, quantity);
    const gain = amountFromBig(
      moneyOf(position.gain(value, share.cost), this.#parts.pnlRate(position)),
    );
    // The margin is all that a liquidation can take: not even a rounding may reach the free balance.
    const pnl = liquidation ? larger(gain, negate(share.margin)) : gain;
    const wallet = this.#parts.wallet(currency);
    wallet.release(share.margin);
    wallet.realise(pnl);
    const now = this.#parts.nowMs();
    position.reduce(share, now);
    const whole = position.quantity === 0;
    if (whole) book.positions.delete(currency);
    return {
      rowId: this.#parts.nextId(),
      positionId: position.id,
      orderId: order.orderId,
      role: order.role,
      symbol: order.symbol,
      currency,
      side: position.longSign === 1 ? 'long' : 'short',
      kind: liquidation ? 'liquidated' : whole ? 'closed' : 'partial',
      quantity,
      entryPrice,
      closePrice: liquidation ? this.#liquidatedPrice(price, book) : price,
      pnl,
      leverage: position.leverage,
      entryHedgeRate: position.entryHedgeRate,
      exitHedgeRate: this.#parts.hedgeRate(currency),
      openedAt: wholeSecond(position.createdAt),
      closedAt: wholeSecond(now),
    };
  }

  /** The margin reserved the close fee; it is not paid from anything but what the loss left of it. */
  #liquidationFee(usual: Amount, left: Amount): Amount {
    return this.#parts.assumptions.liquidationFee === 'charged' ? smaller(usual, left) : NOTHING;
  }

  #liquidatedPrice(price: Price, book: SymbolBook): Price {
    if (this.#parts.assumptions.liquidatedPrice === 'exact') return price;
    return floorToStep(price, book.listing.instrument.priceStep);
  }

  #open(trade: Trade, ended: BookPosition | undefined): BookPosition {
    const { order, price } = trade;
    const { book, currency, side, leverage } = order;
    const quantity = subtract(trade.quantity, trade.closing);
    const margin = amountFromBig(this.marginOf({ currency, side, price, quantity, leverage }));
    this.#parts.wallet(currency).lock(margin);
    const cost = multiplyExact(price, quantity);
    const position = book.positions.get(currency) ?? this.#newPosition(order, ended);
    const share = { quantity, cost, collateral: collateralOf(cost, leverage), margin };
    position.increase(share, leverage, this.#parts.nowMs());
    order.joinPosition(position.id);
    return position;
  }

  /** The other side of a flip may be the same position: then its id and its open time stay. */
  #newPosition(order: BookOrder, ended: BookPosition | undefined): BookPosition {
    const { book, currency, side, leverage } = order;
    const { assumptions, hedgeRate, nextId, nowMs } = this.#parts;
    const same = assumptions.flipPositionId === 'same' ? ended : undefined;
    const position = new PositionRecord({
      id: same?.id ?? (ended === undefined ? order.positionId : nextId()),
      book,
      currency,
      longSign: side === 'buy' ? 1 : -1,
      leverage,
      hedgeRate: hedgeRate(currency),
      createdAt: same?.createdAt ?? nowMs(),
      maintenance: assumptions.maintenanceRate,
    });
    book.positions.set(currency, position);
    return position;
  }
}

const NOTHING = fixed<'USDT'>(0) as Amount;
