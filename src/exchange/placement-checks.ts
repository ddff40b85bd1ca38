import type { Currency } from '../core/currency.js';
import {
  compareProducts,
  isAtLeast,
  isAtMost,
  isLess,
  isMore,
  isMultipleOf,
  ONE,
  type Price,
  type Ratio,
} from '../core/fixed.js';
import { isClientOrderId } from '../core/ids.js';
import type { OrderTerms } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { Assumptions } from './assumptions.js';
import type { SymbolBook } from './symbol-book.js';

/** The order at the price it is checked at: its limit, or the live price. */
export interface CheckedOrder {
  readonly terms: OrderTerms;
  readonly book: SymbolBook;
  readonly price: Price;
  /** v1 only: the leverage that comes with the order. */
  readonly leverage?: Ratio | undefined;
  readonly assumptions: Assumptions;
  /** Whether the wallet covers margin and fee of what the order would open. */
  readonly affordable: () => boolean;
}

type Check = (order: CheckedOrder) => RejectionCode | undefined;

/** Of the client order id, before the asset is even looked up (design part 8). */
export function checkIdentifier(
  id: string | undefined,
  isUsed: (id: string) => boolean,
): RejectionCode | undefined {
  if (id === undefined) return undefined;
  if (!isClientOrderId(id)) return 'invalid-client-order-id';
  return isUsed(id) ? 'client-order-id-exists' : undefined;
}

/** Another user action holds the asset: in both currencies, or in the one (assumption). */
export function isLocked(book: SymbolBook, currency: Currency, assumptions: Assumptions): boolean {
  return assumptions.lockScope === 'both-currencies'
    ? book.locks.size > 0
    : book.locks.has(currency);
}

/** The same of actions that do not place, as far as those are locked out too (assumption). */
export const isActionLocked = (
  book: SymbolBook,
  currency: Currency,
  assumptions: Assumptions,
): boolean => assumptions.lockedActions === 'all' && isLocked(book, currency, assumptions);

/** Of a leverage that is set, or comes with a v1 order. */
export function checkLeverage(
  book: SymbolBook,
  currency: Currency,
  leverage: Ratio,
  assumptions: Assumptions,
): RejectionCode | undefined {
  const { minLeverage, maxLeverage, leverageStep } = book.listing.instrument;
  const allowed =
    leverage > 0 &&
    isAtLeast(leverage, minLeverage) &&
    isAtMost(leverage, maxLeverage) &&
    isMultipleOf(leverage, leverageStep);
  if (!allowed) return 'leverage-range';
  const held = assumptions.leverageWhileOpen === 'refused' && book.positions.has(currency);
  return held && book.leverage.get(currency) !== leverage ? 'leverage-range' : undefined;
}

/** In range, and on the price step where that is asked of stops and targets (assumption). */
export function isLegPrice(book: SymbolBook, price: Price, assumptions: Assumptions): boolean {
  const { minPrice, maxPrice, priceStep } = book.listing.instrument;
  const inRange = isAtLeast(price, minPrice) && isAtMost(price, maxPrice);
  return inRange && (assumptions.legPriceStep === 'any' || isMultipleOf(price, priceStep));
}

const locked: Check = ({ terms, book, assumptions }) =>
  isLocked(book, terms.currency, assumptions) ? 'locked' : undefined;

const leverageSet: Check = ({ terms, book }) =>
  book.leverage.has(terms.currency) ? undefined : 'leverage-not-set';

const leverageSent: Check = ({ terms, book, leverage, assumptions }) =>
  leverage === undefined ? undefined : checkLeverage(book, terms.currency, leverage, assumptions);

const limitPrice: Check = ({ terms }) =>
  terms.type === 'limit' && !((terms.price ?? 0) > 0) ? 'limit-price-missing' : undefined;

const quantityStep: Check = ({ terms, book }) =>
  isMultipleOf(terms.quantity, book.listing.instrument.quantityStep) ? undefined : 'quantity-step';

const quantityRange: Check = ({ terms, book }) => {
  const { minQuantity, maxQuantity, maxMarketQuantity } = book.listing.instrument;
  const { quantity, type } = terms;
  const fits =
    quantity > 0 &&
    isAtLeast(quantity, minQuantity) &&
    isAtMost(quantity, maxQuantity) &&
    (type === 'limit' || isAtMost(quantity, maxMarketQuantity));
  return fits ? undefined : 'quantity-range';
};

const priceStep: Check = ({ terms, book, price }) =>
  terms.type === 'market' || isMultipleOf(price, book.listing.instrument.priceStep)
    ? undefined
    : 'price-step';

/** v1 sends a price with market orders too; whether that is bounded is an assumption. */
const priceRange: Check = ({ terms, book, leverage, assumptions }) => {
  const unbounded = leverage === undefined || assumptions.v1MarketPrice === 'any';
  if (terms.type === 'market' && unbounded) return undefined;
  const { price } = terms;
  if (terms.type === 'market' && price === undefined) return undefined;
  const { minPrice, maxPrice } = book.listing.instrument;
  return price !== undefined && isAtLeast(price, minPrice) && isAtMost(price, maxPrice)
    ? undefined
    : 'price-range';
};

const notional: Check = ({ terms, book, price, assumptions }) => {
  if (terms.reduceOnly && assumptions.reduceOnlyNotional === 'exempt') return undefined;
  const { minNotional } = book.listing.instrument;
  return compareProducts(price, terms.quantity, minNotional, ONE) < 0
    ? 'notional-below-minimum'
    : undefined;
};

/** Ignored on reduce-only orders (interface, v2 body). */
const stopLoss: Check = ({ terms, book, price, assumptions }) => {
  const { stopLoss: leg, side, reduceOnly } = terms;
  if (reduceOnly || leg === undefined) return undefined;
  const rightSide = side === 'sell' ? isMore(leg, price) : isLess(leg, price);
  return rightSide && isLegPrice(book, leg, assumptions) ? undefined : 'invalid-stop-loss';
};

const takeProfit: Check = ({ terms, book, price, assumptions }) => {
  const { takeProfit: leg, side, reduceOnly } = terms;
  if (reduceOnly || leg === undefined) return undefined;
  const rightSide = side === 'buy' ? isMore(leg, price) : isLess(leg, price);
  return rightSide && isLegPrice(book, leg, assumptions) ? undefined : 'invalid-take-profit';
};

const balance: Check = ({ terms, affordable }) =>
  terms.reduceOnly || affordable() ? undefined : 'insufficient-balance';

const reduces: Check = ({ terms, book }) => {
  if (!terms.reduceOnly) return undefined;
  const position = book.positions.get(terms.currency);
  if (position === undefined) return 'reduce-only-without-position';
  const sameSide = (position.longSign === 1) === (terms.side === 'buy');
  return sameSide ? 'reduce-only-same-side' : undefined;
};

/** A market order needs a live price (interface, v2 body): nothing has traded yet. */
const livePrice: Check = ({ terms, book }) =>
  terms.type === 'market' && book.last === 0 ? 'params-error' : undefined;

/** What only reduces stays accepted. */
const delisting: Check = ({ terms, book, assumptions }) => {
  if (!book.delisting || terms.reduceOnly) return undefined;
  const position = book.positions.get(terms.currency);
  if (position === undefined) return 'delisting';
  const sameSide = (position.longSign === 1) === (terms.side === 'buy');
  const allowed = sameSide
    ? assumptions.delistingIncrease === 'accepted'
    : isAtMost(terms.quantity, position.quantity) || assumptions.oppositeExcess === 'drop';
  return allowed ? undefined : 'delisting';
};

/** The interface's table of order create (v2), from top to bottom; lock and leverage come first. */
const V2: readonly Check[] = [
  ...[locked, leverageSet, limitPrice, quantityStep, quantityRange, priceStep, priceRange],
  ...[notional, stopLoss, takeProfit, balance, reduces, livePrice, delisting],
];

/** The interface's list of order create (v1) in its order, with v2's rules that it leaves out. */
const V1: readonly Check[] = [
  ...[locked, livePrice, priceRange, quantityStep, leverageSent],
  ...[quantityRange, priceStep, notional, stopLoss, takeProfit, balance, reduces, delisting],
];

/** What an amend is judged by: as at placing, but for what the order is already. */
const AMEND: readonly Check[] = [
  ...[limitPrice, quantityStep, quantityRange, priceStep, priceRange],
  ...[notional, stopLoss, takeProfit, balance, delisting],
];

/** What a way out of a position is judged by. */
const PARTIAL_CLOSE: readonly Check[] = [
  ...[limitPrice, quantityStep, quantityRange, priceStep, priceRange],
];
const CLOSE: readonly Check[] = [...PARTIAL_CLOSE, notional];

/** v1 where a leverage comes with the order. */
export const checkPlacement = (order: CheckedOrder): RejectionCode | undefined =>
  firstOf(order.leverage === undefined ? V2 : V1, order);

export const checkAmend = (order: CheckedOrder): RejectionCode | undefined => firstOf(AMEND, order);

export const checkClose = (order: CheckedOrder): RejectionCode | undefined => firstOf(CLOSE, order);

/** Live, a partial close far below the minimum order value was accepted (assumption). */
export const checkPartialClose = (order: CheckedOrder): RejectionCode | undefined =>
  firstOf(order.assumptions.partialCloseNotional === 'exempt' ? PARTIAL_CLOSE : CLOSE, order);

function firstOf(checks: readonly Check[], order: CheckedOrder): RejectionCode | undefined {
  for (const check of checks) {
    const refusal = check(order);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
