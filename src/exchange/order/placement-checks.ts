import type { Currency } from '../../core/currency.js';
import {
  compareProducts,
  isAtLeast,
  isAtMost,
  isLess,
  isGreater,
  isMultipleOf,
  ONE,
  type Price,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { isClientOrderId } from '../../core/ids.js';
import type { OrderTerms } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { Assumptions } from '../assumptions.js';
import type { SymbolState } from '../price/symbol-state.js';

/** An order with the price of its checks: its limit, or the last price. */
export interface CheckedOrder {
  readonly terms: OrderTerms;
  readonly symbolState: SymbolState;
  readonly price: Price;
  /** v1 only: the leverage sent with the order. */
  readonly leverage?: Ratio | undefined;
  readonly assumptions: Assumptions;
  /** Whether the wallet covers margin and fee of the opening part. */
  readonly affordable: () => boolean;
}

type Check = (order: CheckedOrder) => RejectionCode | undefined;

/** Checks the client order id, before the asset is looked up. */
export function checkIdentifier(
  id: string | undefined,
  isUsed: (id: string) => boolean,
): RejectionCode | undefined {
  if (id === undefined) return undefined;
  if (!isClientOrderId(id)) return 'invalid-client-order-id';
  return isUsed(id) ? 'client-order-id-exists' : undefined;
}

/** Whether another user action holds the asset, in either or in this currency (assumption). */
export function isLocked(
  symbolState: SymbolState,
  currency: Currency,
  assumptions: Assumptions,
): boolean {
  return assumptions.lockScope === 'both-currencies'
    ? symbolState.locks.size > 0
    : symbolState.locks.has(currency);
}

/** The same for actions other than placing, which may ignore the lock (assumption). */
export const isActionLocked = (
  symbolState: SymbolState,
  currency: Currency,
  assumptions: Assumptions,
): boolean => assumptions.lockedActions === 'all' && isLocked(symbolState, currency, assumptions);

/** Checks a leverage that is being set or comes with a v1 order. */
export function checkLeverage(
  symbolState: SymbolState,
  currency: Currency,
  leverage: Ratio,
  assumptions: Assumptions,
): RejectionCode | undefined {
  const { minLeverage, maxLeverage, leverageStep } = symbolState.listing.instrument;
  const allowed =
    leverage > 0 &&
    isAtLeast(leverage, minLeverage) &&
    isAtMost(leverage, maxLeverage) &&
    isMultipleOf(leverage, leverageStep);
  if (!allowed) return 'leverage-range';
  const isFixed =
    assumptions.leverageWhileOpen === 'refused' && symbolState.positions.has(currency);
  return isFixed && symbolState.leverage.get(currency) !== leverage ? 'leverage-range' : undefined;
}

/** In the price range, and on the price step where stops and targets need it (assumption). */
export function isProtectivePrice(
  symbolState: SymbolState,
  price: Price,
  assumptions: Assumptions,
): boolean {
  const { minPrice, maxPrice, priceStep } = symbolState.listing.instrument;
  const inRange = isAtLeast(price, minPrice) && isAtMost(price, maxPrice);
  return inRange && (assumptions.legPriceStep === 'any' || isMultipleOf(price, priceStep));
}

const locked: Check = ({ terms, symbolState, assumptions }) =>
  isLocked(symbolState, terms.currency, assumptions) ? 'locked' : undefined;

const leverageSet: Check = ({ terms, symbolState }) =>
  symbolState.leverage.has(terms.currency) ? undefined : 'leverage-not-set';

const leverageSent: Check = ({ terms, symbolState, leverage, assumptions }) =>
  leverage === undefined
    ? undefined
    : checkLeverage(symbolState, terms.currency, leverage, assumptions);

const limitPrice: Check = ({ terms }) =>
  terms.type === 'limit' && !((terms.price ?? 0) > 0) ? 'limit-price-missing' : undefined;

const quantityStep: Check = ({ terms, symbolState }) =>
  isMultipleOf(terms.quantity, symbolState.listing.instrument.quantityStep)
    ? undefined
    : 'quantity-step';

const quantityRange: Check = ({ terms, symbolState }) => {
  const { minQuantity, maxQuantity, maxMarketQuantity } = symbolState.listing.instrument;
  const { quantity, type } = terms;
  const fits =
    quantity > 0 &&
    isAtLeast(quantity, minQuantity) &&
    isAtMost(quantity, maxQuantity) &&
    (type === 'limit' || isAtMost(quantity, maxMarketQuantity));
  return fits ? undefined : 'quantity-range';
};

const priceStep: Check = ({ terms, symbolState, price }) =>
  terms.type === 'market' || isMultipleOf(price, symbolState.listing.instrument.priceStep)
    ? undefined
    : 'price-step';

/** v1 sends a price with market orders too; its bounds are an assumption. */
const priceRange: Check = ({ terms, symbolState, leverage, assumptions }) => {
  const unbounded = leverage === undefined || assumptions.v1MarketPrice === 'any';
  if (terms.type === 'market' && unbounded) return undefined;
  const { price } = terms;
  if (terms.type === 'market' && price === undefined) return undefined;
  const { minPrice, maxPrice } = symbolState.listing.instrument;
  return price !== undefined && isAtLeast(price, minPrice) && isAtMost(price, maxPrice)
    ? undefined
    : 'price-range';
};

const notional: Check = ({ terms, symbolState, price, assumptions }) => {
  if (terms.reduceOnly && assumptions.reduceOnlyNotional === 'exempt') return undefined;
  const { minNotional } = symbolState.listing.instrument;
  return compareProducts(price, terms.quantity, minNotional, ONE) < 0
    ? 'notional-below-minimum'
    : undefined;
};

/** Ignored on reduce-only orders (interface: v2 body). */
const stopLoss: Check = ({ terms, symbolState, price, assumptions }) => {
  const { stopLoss: triggerPrice, side, reduceOnly } = terms;
  if (reduceOnly || triggerPrice === undefined) return undefined;
  const rightSide = side === 'sell' ? isGreater(triggerPrice, price) : isLess(triggerPrice, price);
  return rightSide && isProtectivePrice(symbolState, triggerPrice, assumptions)
    ? undefined
    : 'invalid-stop-loss';
};

const takeProfit: Check = ({ terms, symbolState, price, assumptions }) => {
  const { takeProfit: triggerPrice, side, reduceOnly } = terms;
  if (reduceOnly || triggerPrice === undefined) return undefined;
  const rightSide = side === 'buy' ? isGreater(triggerPrice, price) : isLess(triggerPrice, price);
  return rightSide && isProtectivePrice(symbolState, triggerPrice, assumptions)
    ? undefined
    : 'invalid-take-profit';
};

const balance: Check = ({ terms, affordable }) =>
  terms.reduceOnly || affordable() ? undefined : 'insufficient-balance';

const reduces: Check = ({ terms, symbolState }) => {
  if (!terms.reduceOnly) return undefined;
  const position = symbolState.positions.get(terms.currency);
  if (position === undefined) return 'reduce-only-without-position';
  const sameSide = (position.longSign === 1) === (terms.side === 'buy');
  return sameSide ? 'reduce-only-same-side' : undefined;
};

/** A market order needs a last price (interface: v2 body). */
const livePrice: Check = ({ terms, symbolState }) =>
  terms.type === 'market' && symbolState.last === 0 ? 'params-error' : undefined;

/** Orders that only reduce are still accepted. */
const delisting: Check = ({ terms, symbolState, assumptions }) => {
  if (!symbolState.delisting || terms.reduceOnly) return undefined;
  const position = symbolState.positions.get(terms.currency);
  if (position === undefined) return 'delisting';
  const sameSide = (position.longSign === 1) === (terms.side === 'buy');
  const allowed = sameSide
    ? assumptions.delistingIncrease === 'accepted'
    : isAtMost(terms.quantity, position.quantity) || assumptions.oppositeExcess === 'drop';
  return allowed ? undefined : 'delisting';
};

/** In the order of the interface's table of order create v2; lock and leverage come first. */
const V2: readonly Check[] = [
  ...[locked, leverageSet, limitPrice, quantityStep, quantityRange, priceStep, priceRange],
  ...[notional, stopLoss, takeProfit, balance, reduces, livePrice, delisting],
];

/** In the order of the interface's list of order create v1, with the v2 rules that it omits. */
const V1: readonly Check[] = [
  ...[locked, livePrice, priceRange, quantityStep, leverageSent],
  ...[quantityRange, priceStep, notional, stopLoss, takeProfit, balance, reduces, delisting],
];

/** Checks of an amend: those of placing, without the ones that an open order has passed. */
const AMEND: readonly Check[] = [
  ...[limitPrice, quantityStep, quantityRange, priceStep, priceRange],
  ...[notional, stopLoss, takeProfit, balance, delisting],
];

/** Checks of an order that closes a position. */
const PARTIAL_CLOSE: readonly Check[] = [
  ...[limitPrice, quantityStep, quantityRange, priceStep, priceRange],
];
const CLOSE: readonly Check[] = [...PARTIAL_CLOSE, notional];

/** An order with a leverage is checked as v1, any other as v2. */
export const checkPlacement = (order: CheckedOrder): RejectionCode | undefined =>
  firstOf(order.leverage === undefined ? V2 : V1, order);

export const checkAmend = (order: CheckedOrder): RejectionCode | undefined => firstOf(AMEND, order);

export const checkClose = (order: CheckedOrder): RejectionCode | undefined => firstOf(CLOSE, order);

/** The venue accepted a partial close far below the minimum order value (assumption). */
export const checkPartialClose = (order: CheckedOrder): RejectionCode | undefined =>
  firstOf(order.assumptions.partialCloseNotional === 'exempt' ? PARTIAL_CLOSE : CLOSE, order);

function firstOf(checks: readonly Check[], order: CheckedOrder): RejectionCode | undefined {
  for (const check of checks) {
    const refusal = check(order);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
