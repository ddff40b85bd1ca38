import type { CloseReport } from '../../core/account.js';
import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import {
  add,
  fixed,
  floorToStep,
  isGreater,
  larger,
  multiplyExact,
  negate,
  smaller,
  subtract,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import type { Assumptions } from '../assumptions.js';
import { FeeLedger, rebateOf, type Rebate } from './fee-ledger.js';
import {
  amountFromBig,
  bigFromAmount,
  collateralOf,
  feeOf,
  initialMarginOf,
  moneyOf,
} from './margin.js';
import { PositionRecord } from '../position/position-record.js';
import type { Execution } from '../simulated-exchange.js';
import type {
  ExchangeOrderState,
  ExchangePositionState,
  SymbolState,
} from '../price/symbol-state.js';
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
  readonly pnlRate: (position: ExchangePositionState) => Ratio;
}

/** A quantity to open at a price. */
export interface PositionIncrease {
  readonly currency: Currency;
  readonly side: Side;
  readonly price: Price;
  readonly quantity: Quantity;
  readonly leverage: Ratio;
}

/** A trade whose price and quantity are decided. */
export interface MatchedTrade {
  readonly order: ExchangeOrderState;
  readonly price: Price;
  readonly quantity: Quantity;
  /** The part of `quantity` that reduces the opposite position; the rest opens. */
  readonly closing: Quantity;
  readonly maker: boolean;
  /** Part of the price that is slippage, USDT per unit. */
  readonly slippage: Price;
  /** Booked at the exact bankruptcy value of the position; `price` is that value rounded. */
  readonly liquidation: boolean;
}

/** The changes that a trade made. */
export interface TradeResult {
  readonly execution: Execution;
  readonly close: CloseReport | undefined;
  /** The position that the trade closed. */
  readonly ended: ExchangePositionState | undefined;
  /** The position that the trade opened or increased. */
  readonly opened: ExchangePositionState | undefined;
}

/** Books trades into order, position and wallet. Each amount is rounded once, here. */
export class Bookkeeper {
  readonly fees = new FeeLedger();
  readonly #parts: BookkeeperParts;

  constructor(parts: BookkeeperParts) {
    this.#parts = parts;
  }

  /** Initial margin with close fee, in 1e-8 of the wallet's currency. */
  marginOf({ currency, side, price, quantity, leverage }: PositionIncrease): bigint {
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

  /** Change of the free balance when the whole position closes at `price`, before fees. */
  freedBy(position: ExchangePositionState, price: Price): bigint {
    const value = multiplyExact(price, position.quantity);
    const gain = position.gain(value, position.cost);
    return bigFromAmount(position.margin) + moneyOf(gain, this.#parts.pnlRate(position));
  }

  applyTrade(trade: MatchedTrade): TradeResult {
    const { order, price, quantity, closing, maker, slippage, liquidation } = trade;
    const { currency } = order;
    const position = order.symbolState.positions.get(currency);
    const value =
      liquidation && position !== undefined
        ? position.bankruptcyValue
        : multiplyExact(price, quantity);
    const margin = position?.margin ?? ZERO_AMOUNT;
    const close = closing > 0 ? this.#close(trade, position) : undefined;
    const fullFee = amountFromBig(this.feeOf(value, currency, maker));
    const fee =
      liquidation && close !== undefined
        ? this.#liquidationFee(fullFee, add(margin, close.pnl))
        : fullFee;
    this.#parts.wallet(currency).payFee(fee);
    const ended = close !== undefined && position?.quantity === 0 ? position : undefined;
    const opened = isGreater(quantity, closing) ? this.#open(trade, ended) : undefined;
    const { nextId, nowMs, hedgeRate } = this.#parts;
    const terms = { id: nextId(), price, quantity, fee, maker, time: nowMs() };
    const rebate = this.#rebate(currency, fee);
    const execution: Execution =
      slippage === 0 && rebate === undefined
        ? terms
        : {
            ...terms,
            ...(slippage !== 0 && { slippage }),
            ...(rebate !== undefined && { rebate: rebate.amount }),
          };
    order.applyExecution(execution, value);
    order.symbolState.idleBand = undefined;
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

  #close(trade: MatchedTrade, position: ExchangePositionState | undefined): CloseReport {
    const { order, price, closing: quantity, liquidation } = trade;
    assert(position !== undefined, 'A closing trade has a position');
    const { symbolState, currency } = order;
    const { entryPrice } = position;
    const share = position.share(quantity);
    const value = liquidation ? position.bankruptcyValue : multiplyExact(price, quantity);
    const gain = amountFromBig(
      moneyOf(position.gain(value, share.cost), this.#parts.pnlRate(position)),
    );
    // A liquidation takes at most the margin; rounding must not reach the free balance.
    const pnl = liquidation ? larger(gain, negate(share.margin)) : gain;
    const wallet = this.#parts.wallet(currency);
    wallet.release(share.margin);
    wallet.realisePnl(pnl);
    const now = this.#parts.nowMs();
    position.reduce(share, now);
    const whole = position.quantity === 0;
    if (whole) symbolState.positions.delete(currency);
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
      closePrice: liquidation ? this.#liquidatedPrice(price, symbolState) : price,
      pnl,
      leverage: position.leverage,
      entryHedgeRate: position.entryHedgeRate,
      exitHedgeRate: this.#parts.hedgeRate(currency),
      openedAt: wholeSecond(position.createdAt),
      closedAt: wholeSecond(now),
    };
  }

  /** The margin reserved the close fee, so the fee is at most the margin that the loss left. */
  #liquidationFee(fullFee: Amount, left: Amount): Amount {
    return this.#parts.assumptions.liquidationFee === 'charged'
      ? smaller(fullFee, left)
      : ZERO_AMOUNT;
  }

  #liquidatedPrice(price: Price, symbolState: SymbolState): Price {
    if (this.#parts.assumptions.liquidatedPrice === 'exact') return price;
    return floorToStep(price, symbolState.listing.instrument.priceStep);
  }

  #open(trade: MatchedTrade, ended: ExchangePositionState | undefined): ExchangePositionState {
    const { order, price } = trade;
    const { symbolState, currency, side, leverage } = order;
    const quantity = subtract(trade.quantity, trade.closing);
    const margin = amountFromBig(this.marginOf({ currency, side, price, quantity, leverage }));
    this.#parts.wallet(currency).lock(margin);
    const cost = multiplyExact(price, quantity);
    const position = symbolState.positions.get(currency) ?? this.#newPosition(order, ended);
    const share = { quantity, cost, collateral: collateralOf(cost, leverage), margin };
    position.increase(share, leverage, this.#parts.nowMs());
    order.joinPosition(position.id);
    return position;
  }

  /** Where a flip continues the same position (assumption), its id and open time stay. */
  #newPosition(
    order: ExchangeOrderState,
    ended: ExchangePositionState | undefined,
  ): ExchangePositionState {
    const { symbolState, currency, side, leverage } = order;
    const { assumptions, hedgeRate, nextId, nowMs } = this.#parts;
    const same = assumptions.flipPositionId === 'same' ? ended : undefined;
    const position = new PositionRecord({
      id: same?.id ?? (ended === undefined ? order.positionId : nextId()),
      symbolState,
      currency,
      longSign: side === 'buy' ? 1 : -1,
      leverage,
      hedgeRate: hedgeRate(currency),
      createdAt: same?.createdAt ?? nowMs(),
      maintenance: assumptions.maintenanceRate,
    });
    symbolState.positions.set(currency, position);
    return position;
  }
}

const ZERO_AMOUNT = fixed<'USDT'>(0) as Amount;
