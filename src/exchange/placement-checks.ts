import { isMultipleOf, multiplyExact, SCALE, type Price } from '../core/fixed.js';
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
  readonly assumptions: Assumptions;
  /** Whether the wallet covers margin and fee of what the order would open. */
  readonly affordable: () => boolean;
}

/** Of the client order id, before the asset is even looked up (design part 8). */
export function checkIdentifier(
  id: string | undefined,
  isUsed: (id: string) => boolean,
): RejectionCode | undefined {
  if (id === undefined) return undefined;
  if (!isClientOrderId(id)) return 'invalid-client-order-id';
  return isUsed(id) ? 'client-order-id-exists' : undefined;
}

/** The interface's table of order create (v2), from top to bottom; lock and leverage come first. */
export function checkPlacement(order: CheckedOrder): RejectionCode | undefined {
  const { book, terms } = order;
  if (book.locked) return 'locked';
  if (!book.leverage.has(terms.currency)) return 'leverage-not-set';
  return (
    checkSize(order) ??
    checkPrice(order) ??
    checkProtection(order) ??
    checkAccount(order) ??
    checkMarket(order)
  );
}

function checkSize({ terms, book }: CheckedOrder): RejectionCode | undefined {
  const { instrument } = book.listing;
  if (terms.type === 'limit' && !((terms.price ?? 0) > 0)) return 'limit-price-missing';
  if (!isMultipleOf(terms.quantity, instrument.quantityStep)) return 'quantity-step';
  const most = terms.type === 'market' ? instrument.maxMarketQuantity : instrument.maxQuantity;
  const inRange =
    terms.quantity > 0 &&
    terms.quantity >= instrument.minQuantity &&
    terms.quantity <= instrument.maxQuantity &&
    terms.quantity <= most;
  return inRange ? undefined : 'quantity-range';
}

function checkPrice({ terms, book, price, assumptions }: CheckedOrder): RejectionCode | undefined {
  const { instrument } = book.listing;
  if (terms.type === 'limit') {
    if (!isMultipleOf(price, instrument.priceStep)) return 'price-step';
    if (price < instrument.minPrice || price > instrument.maxPrice) return 'price-range';
  }
  if (terms.reduceOnly && assumptions.reduceOnlyNotional === 'exempt') return undefined;
  // Exact: the value of a large order does not fit the ledger, and must be refused for what it is.
  const notional = multiplyExact(price, terms.quantity);
  const least = BigInt(instrument.minNotional) * BigInt(SCALE);
  return notional < least ? 'notional-below-minimum' : undefined;
}

/** Ignored on reduce-only orders (interface, v2 body). */
function checkProtection({ terms, book, price }: CheckedOrder): RejectionCode | undefined {
  if (terms.reduceOnly) return undefined;
  const { stopLoss, takeProfit, side } = terms;
  const { minPrice, maxPrice } = book.listing.instrument;
  const fits = (leg: Price, above: boolean): boolean =>
    leg >= minPrice && leg <= maxPrice && (above ? leg > price : leg < price);
  if (stopLoss !== undefined && !fits(stopLoss, side === 'sell')) return 'invalid-stop-loss';
  if (takeProfit !== undefined && !fits(takeProfit, side === 'buy')) return 'invalid-take-profit';
  return undefined;
}

function checkAccount({ terms, book, affordable }: CheckedOrder): RejectionCode | undefined {
  if (!terms.reduceOnly) return affordable() ? undefined : 'insufficient-balance';
  const position = book.positions.get(terms.currency);
  if (position === undefined) return 'reduce-only-without-position';
  const sameSide = (position.longSign === 1) === (terms.side === 'buy');
  return sameSide ? 'reduce-only-same-side' : undefined;
}

/** A market order needs a live price (interface, v2 body): nothing has traded yet. */
function checkMarket({ terms, book }: CheckedOrder): RejectionCode | undefined {
  return terms.type === 'market' && book.last === 0 ? 'params-error' : undefined;
}
