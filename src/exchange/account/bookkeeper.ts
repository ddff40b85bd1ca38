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
  ONE,
  ProductSum,
  smaller,
  subtract,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import type { Assumptions } from '../assumptions.js';
import { executionOf, type ExecutionLog, type Rebate } from './execution-log.js';
import { rebateOf, type FeeLedger } from './fee-ledger.js';
import {
  amountFromBig,
  collateralOf,
  feeOf,
  feeShare,
  initialMarginOf,
  marginShare,
  moneyOf,
  type LongSign,
} from './margin.js';
import { PositionRecord } from '../position/position-record.js';
import type { Execution } from '../simulated-exchange.js';
import type {
  ExchangeOrderState,
  ExchangePositionState,
  SymbolState,
} from '../price/symbol-state.js';
import type { ValueShare } from './value-share.js';
import type { Wallet } from './wallet.js';
import { wholeSecond } from './whole-second.js';

export interface BookkeeperParts {
  readonly executions: ExecutionLog;
  readonly fees: FeeLedger;
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
  readonly close: Required<CloseReport> | undefined;
  /** The position that the trade closed. */
  readonly ended: ExchangePositionState | undefined;
  /** The position that the trade opened or increased. */
  readonly opened: ExchangePositionState | undefined;
}

/** Books trades into order, position and wallet. Each amount is rounded once, here. */
export class Bookkeeper {
  readonly #parts: BookkeeperParts;
  readonly #takerFee: ValueShare;
  readonly #makerFee: ValueShare;
  /** Initial margins at a hedge rate of 1, by leverage. */
  readonly #longShares = new Map<Ratio, ValueShare>();
  readonly #shortShares = new Map<Ratio, ValueShare>();

  constructor(parts: BookkeeperParts) {
    this.#parts = parts;
    this.#takerFee = feeShare(parts.takerFeeRate);
    this.#makerFee = feeShare(parts.makerFeeRate);
  }

  /** Initial margin with close fee, in the wallet's currency. */
  marginOf({ currency, side, price, quantity, leverage }: PositionIncrease): Amount {
    const { takerFeeRate } = this.#parts;
    const hedgeRate = this.#parts.hedgeRate(currency);
    const longSign = side === 'buy' ? 1 : -1;
    if (hedgeRate === ONE) return this.#marginShare(longSign, leverage).of(price, quantity);
    const value = multiplyExact(price, quantity);
    return amountFromBig(initialMarginOf({ value, longSign, leverage, takerFeeRate, hedgeRate }));
  }

  #marginShare(longSign: LongSign, leverage: Ratio): ValueShare {
    const shares = longSign === 1 ? this.#longShares : this.#shortShares;
    let share = shares.get(leverage);
    if (share === undefined) {
      const { takerFeeRate } = this.#parts;
      shares.set(leverage, (share = marginShare({ longSign, leverage, takerFeeRate })));
    }
    return share;
  }

  /** In the wallet's currency. */
  feeOf(price: Price, quantity: Quantity, currency: Currency, maker: boolean): Amount {
    if (this.#parts.hedgeRate(currency) !== ONE)
      return this.#feeOfValue(multiplyExact(price, quantity), currency, maker);
    return (maker ? this.#makerFee : this.#takerFee).of(price, quantity);
  }

  #feeOfValue(value: bigint, currency: Currency, maker: boolean): Amount {
    const { makerFeeRate, takerFeeRate, hedgeRate } = this.#parts;
    return amountFromBig(feeOf(value, maker ? makerFeeRate : takerFeeRate, hedgeRate(currency)));
  }

  /** Change of the free balance when the whole position closes at `price`, before fees. */
  freedBy(position: ExchangePositionState, price: Price): Amount {
    return add(position.margin, position.unrealised(price, this.#parts.pnlRate(position)));
  }

  applyTrade(trade: MatchedTrade): TradeResult {
    const { order, price, quantity, closing, maker, slippage, liquidation } = trade;
    const { currency } = order;
    const position = order.symbolState.positions.get(currency);
    const value =
      liquidation && position !== undefined
        ? position.bankruptcyValue
        : ProductSum.of(price, quantity);
    const margin = position?.margin ?? ZERO_AMOUNT;
    const close = closing > 0 ? this.#close(trade, position) : undefined;
    const fullFee = liquidation
      ? this.#feeOfValue(value.exact, currency, maker)
      : this.feeOf(price, quantity, currency, maker);
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
    const slipped = slippage === 0 ? undefined : slippage;
    const execution = executionOf(terms, slipped, rebate?.amount);
    order.applyExecution(execution, value);
    order.symbolState.idleBand = undefined;
    const exactValue = liquidation ? value.exact : undefined;
    const { executions, fees } = this.#parts;
    const row = executions.add(order, execution, hedgeRate(currency), rebate, exactValue);
    fees.chargeTrade(currency, row);
    return { execution, close, ended, opened };
  }

  #rebate(currency: Currency, fee: Amount): Rebate | undefined {
    if (this.#parts.assumptions.rebates === 'none') return undefined;
    const amount = rebateOf(fee);
    if (amount === 0) return undefined;
    this.#parts.wallet(currency).creditRebate(amount);
    return { id: this.#parts.nextId(), amount };
  }

  #close(trade: MatchedTrade, position: ExchangePositionState | undefined): Required<CloseReport> {
    const { order, price, closing: quantity, liquidation } = trade;
    assert(position !== undefined, 'A closing trade has a position');
    const { symbolState, currency } = order;
    const { entryPrice } = position;
    const share = position.share(quantity);
    const pnlRate = this.#parts.pnlRate(position);
    const gain =
      !liquidation && quantity === position.quantity
        ? position.unrealised(price, pnlRate)
        : amountFromBig(
            moneyOf(
              position.gain(
                liquidation ? position.bankruptcyValue : ProductSum.of(price, quantity),
                share.cost,
              ),
              pnlRate,
            ),
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
    const margin = this.marginOf({ currency, side, price, quantity, leverage });
    this.#parts.wallet(currency).lock(margin);
    const cost = ProductSum.of(price, quantity);
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
