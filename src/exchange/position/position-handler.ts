import { Decimal } from '../../core/fixed/decimal.js';
import {
  add,
  decimalFromFixed,
  fixed,
  isAtLeast,
  isAtMost,
  isGreater,
  isLess,
  PRODUCT_PLACES,
  times,
  type Amount,
  type ProductSum,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { AccountReads } from '../account/account-reads.js';
import type { Affordability } from '../account/affordability.js';
import type { ExchangeState } from '../exchange-state.js';
import { bankruptcyValueOf, collateralOfMargin, liquidationTriggerOf } from '../account/margin.js';
import { checkClose, checkPartialClose, isActionLocked } from '../order/placement-checks.js';
import type { OrderAcceptor } from '../order/order-acceptor.js';
import type {
  ExchangeResult,
  ExchangeOrder,
  ExchangePosition,
  PartialCloseTerms,
} from '../simulated-exchange.js';
import type { ExchangePositionState, SymbolState } from '../price/symbol-state.js';

/** Closes, reverses and changes the margin of open positions (interface: positions). */
export class PositionHandler {
  readonly #state: ExchangeState;
  readonly #orderAcceptor: OrderAcceptor;
  readonly #affordability: Affordability;
  readonly #reads: AccountReads;
  readonly #triggerAtPrice: (symbolState: SymbolState) => void;

  constructor(parts: {
    readonly state: ExchangeState;
    readonly orderAcceptor: OrderAcceptor;
    readonly affordability: Affordability;
    readonly reads: AccountReads;
    /** Triggers everything that the current price reaches. */
    readonly triggerAtPrice: (symbolState: SymbolState) => void;
  }) {
    this.#state = parts.state;
    this.#orderAcceptor = parts.orderAcceptor;
    this.#affordability = parts.affordability;
    this.#reads = parts.reads;
    this.#triggerAtPrice = parts.triggerAtPrice;
  }

  closePartially(positionId: string, close: PartialCloseTerms): ExchangeResult<ExchangeOrder> {
    const { clientOrderId } = close;
    const identifier = this.#orderAcceptor.checkIdentifier(clientOrderId);
    if (identifier !== undefined) return { ok: false, code: identifier };
    const found = findOpenPosition(this.#state, positionId);
    if (!found.ok) return this.#orderAcceptor.reject(found.code, [clientOrderId]);
    const position = found.value;
    const { type, quantity, price } = close;
    const terms: OrderTerms = {
      ...closingTerms(position),
      type,
      quantity,
      ...(price !== undefined && { price }),
      reduceOnly: true,
    };
    const refusal =
      this.#rejectionOf(position, terms, checkPartialClose) ??
      this.#quantityRejection(position, terms);
    if (refusal !== undefined) return this.#orderAcceptor.reject(refusal, [clientOrderId]);
    return this.#orderAcceptor.submit({ terms, clientOrderId });
  }

  close(positionId: string): ExchangeResult<ExchangeOrder> {
    const found = findOpenPosition(this.#state, positionId);
    if (!found.ok) return found;
    const position = found.value;
    const { quantity } = position;
    const terms: OrderTerms = {
      ...closingTerms(position),
      type: 'market',
      quantity,
      reduceOnly: true,
    };
    const refusal = this.#sizeRejection(position, terms);
    return refusal === undefined
      ? this.#orderAcceptor.submit({ terms })
      : { ok: false, code: refusal };
  }

  /** Checks the half that opens. A pair being delisted opens nothing. */
  reverse(positionId: string): ExchangeResult<ExchangeOrder> {
    const found = findOpenPosition(this.#state, positionId);
    if (!found.ok) return found;
    const position = found.value;
    const { symbolState, currency } = position;
    const quantity = times(position.quantity, 2);
    const terms: OrderTerms = {
      ...closingTerms(position),
      type: 'market',
      quantity,
      reduceOnly: false,
    };
    const refusal = this.#sizeRejection(position, terms) ?? this.#reverseRejection(position, terms);
    if (refusal !== undefined) return { ok: false, code: refusal };
    const leverage = symbolState.leverage.get(currency) ?? position.leverage;
    const affordabilityRequest = {
      terms,
      symbolState,
      price: symbolState.last,
      leverage,
      unsettled: false,
      reverses: true,
    };
    if (!this.#affordability.covers(affordabilityRequest))
      return { ok: false, code: 'insufficient-balance' };
    return this.#orderAcceptor.submit({ terms, reverses: true });
  }

  /** Moves money between free balance and margin, which changes the liquidation price. */
  adjustMargin(positionId: string, change: Amount): ExchangeResult<ExchangePosition> {
    const found = findOpenPosition(this.#state, positionId);
    if (!found.ok) return found;
    if (change === 0) return { ok: false, code: 'params-error' };
    const position = found.value;
    const collateral = this.#collateralOf(position, change);
    if (!this.#allowsMarginChange(position, change, collateral)) {
      return { ok: false, code: 'insufficient-funds' };
    }
    this.#state.wallets[position.currency].lock(change);
    position.changeMargin(change, collateral, this.#state.nowMs);
    position.symbolState.idleBand = undefined;
    this.#state.queuePositionEvent(position);
    const row = this.#reads.position(position);
    this.#triggerAtPrice(position.symbolState);
    this.#state.eventQueue.flush();
    return { ok: true, value: row };
  }

  /** USDT, unrounded; 0 where no price liquidates the position (supplement: part 12). */
  liquidationPriceWith(positionId: string, extraMargin: Amount): ExchangeResult<Decimal> {
    const found = findOpenPosition(this.#state, positionId, 'read');
    if (!found.ok) return found;
    const position = found.value;
    const { cost, collateral, longSign, quantity, maintenanceRate } = position;
    const margin = collateral.plus(this.#collateralOf(position, extraMargin));
    const value = new Decimal(bankruptcyValueOf(cost, margin, longSign).exact.toString());
    const retained = decimalFromFixed(maintenanceRate).times(-longSign).plus(1);
    const price = value.div(PRODUCT).div(decimalFromFixed(quantity)).div(retained);
    return { ok: true, value: price.isNegative() ? new Decimal(0) : price };
  }

  #rejectionOf(
    position: ExchangePositionState,
    terms: OrderTerms,
    check: typeof checkClose,
  ): RejectionCode | undefined {
    const { symbolState } = position;
    const { assumptions } = this.#state;
    const price = terms.type === 'limit' ? (terms.price ?? fixed<'price'>(0)) : symbolState.last;
    return check({ terms, symbolState, price, assumptions, affordable: () => true });
  }

  /** Size limits must not make a position impossible to close (assumption). */
  #sizeRejection(position: ExchangePositionState, terms: OrderTerms): RejectionCode | undefined {
    return this.#state.assumptions.closeLimits === 'exempt'
      ? undefined
      : this.#rejectionOf(position, terms, checkClose);
  }

  #quantityRejection(
    position: ExchangePositionState,
    terms: OrderTerms,
  ): RejectionCode | undefined {
    if (isAtLeast(terms.quantity, position.quantity)) return 'quantity-range';
    if (this.#state.assumptions.pendingReduces === 'unbounded') return undefined;
    const pending = position.symbolState.pending(position.currency);
    const reducing = pending.filter((order) => order.reduceOnly);
    const sum = reducing.reduce((total, order) => add(total, order.remaining), terms.quantity);
    return isGreater(sum, position.quantity) ? 'quantity-range' : undefined;
  }

  #reverseRejection(position: ExchangePositionState, terms: OrderTerms): RejectionCode | undefined {
    const { symbolState, currency } = position;
    if (symbolState.delisting) return 'delisting';
    // A pending market order changes the quantity that there is to reverse.
    const isChanging = symbolState.unmatched.some(
      (order) =>
        order.currency === currency && order.side === terms.side && order.type === 'market',
    );
    return isChanging ? 'position-not-in-sync' : undefined;
  }

  #allowsMarginChange(
    position: ExchangePositionState,
    change: Amount,
    collateral: ProductSum,
  ): boolean {
    if (change > 0) return isAtMost(change, this.#state.wallets[position.currency].balance);
    if (isLess(add(position.margin, change), position.openingMargin)) return false;
    return (
      this.#state.assumptions.marginReduction === 'initial' ||
      !this.#wouldLiquidate(position, collateral)
    );
  }

  /** Whether the current price would liquidate the position after this change of collateral. */
  #wouldLiquidate(position: ExchangePositionState, change: ProductSum): boolean {
    const { cost, quantity, longSign, symbolState, maintenanceRate } = position;
    const terms = {
      cost,
      quantity,
      longSign,
      collateral: position.collateral.plus(change),
      maintenanceRate,
    };
    const trigger = liquidationTriggerOf(terms, symbolState.listing.instrument.priceStep);
    if (trigger === 0) return false;
    const price = symbolState[this.#state.assumptions.liquidationTrigger];
    return longSign === 1 ? isAtMost(price, trigger) : isAtLeast(price, trigger);
  }

  /** An amount of the position's currency over the hedge rate, in USDT (supplement: part 12). */
  #collateralOf(position: ExchangePositionState, amount: Amount): ProductSum {
    return collateralOfMargin(amount, this.#marginRate(position));
  }

  #marginRate({ currency, entryHedgeRate }: ExchangePositionState): Ratio {
    return this.#state.assumptions.addedMarginRate === 'now'
      ? this.#state.hedgeRate(currency)
      : entryHedgeRate;
  }
}

/** @param use `read` ignores the asset lock */
export function findOpenPosition(
  state: ExchangeState,
  positionId: string,
  use: 'act' | 'read' = 'act',
): ExchangeResult<ExchangePositionState> {
  const position = state.position(positionId);
  if (position === undefined) {
    const code = state.isKnownPosition(positionId) ? 'position-not-open' : 'position-not-found';
    return { ok: false, code };
  }
  const locked =
    use === 'act' && isActionLocked(position.symbolState, position.currency, state.assumptions);
  return locked ? { ok: false, code: 'locked' } : { ok: true, value: position };
}

const closingTerms = ({
  symbolState,
  currency,
  longSign,
}: ExchangePositionState): Pick<OrderTerms, 'symbol' | 'currency' | 'side'> => ({
  symbol: symbolState.symbol,
  currency,
  side: longSign === 1 ? 'sell' : 'buy',
});

/** 1 USDT in units of 1e-36 USDT. */
const PRODUCT = new Decimal(10).pow(PRODUCT_PLACES);
