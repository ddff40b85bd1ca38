import { assert } from '../../core/assert.js';
import { textFromFixed, type Fixed } from '../../core/fixed.js';
import { isClientOrderId } from '../../core/ids.js';
import type { OrderTerms } from '../../core/order.js';
import type { RequestOf } from '../../core/request.js';

/**
 * The body of a v2 place. Its bytes are a pure function of the request: keys in one order, decimals
 * as plain strings, never an exponent (hazard H2). A retry therefore sends the same bytes.
 *
 * @throws AssertionError for terms that must never reach a wire
 */
export function placeBody({ clientOrderId, terms }: RequestOf<'place'>): string {
  assertPlaceable(terms);
  return JSON.stringify({
    trigger_type: terms.type === 'limit' ? 'LIMIT' : 'MARKET',
    order_type: terms.side === 'buy' ? 'LONG' : 'SHORT',
    quantity: textFromFixed(terms.quantity),
    order_price: optionalText(terms.price),
    is_stoploss: terms.stopLoss !== undefined,
    stoploss_price: optionalText(terms.stopLoss),
    is_takeprofit: terms.takeProfit !== undefined,
    takeprofit_price: optionalText(terms.takeProfit),
    reduce_only: terms.reduceOnly,
    trade_currency: terms.currency,
    client_order_id: namedId(clientOrderId),
  });
}

/** The body of a leverage setting; the margin type has only one value (interface, Endpoints). */
export const leverageBody = ({ leverage, currency }: RequestOf<'set-leverage'>): string =>
  JSON.stringify({
    margin_type: 'ISOLATED',
    leverage: textFromFixed(leverage),
    trade_currency: currency,
  });

/**
 * An empty id counts as unset at the venue: an order that cannot be found again, or a cancel of
 * nobody knows what (hazards A22, B6).
 *
 * @throws AssertionError for anything but 1 to 64 letters, digits, hyphens and underscores
 */
export function namedId(clientOrderId: string): string {
  assert(isClientOrderId(clientOrderId), 'A client order id has the form the venue accepts');
  return clientOrderId;
}

function assertPlaceable(terms: OrderTerms): void {
  const { quantity, price, stopLoss, takeProfit } = terms;
  assert(quantity > 0, 'An order has a quantity above 0');
  const hasPrice = price !== undefined && price > 0;
  assert(
    terms.type === 'limit' ? hasPrice : price === undefined,
    'A limit order, and only a limit order, has a price above 0',
  );
  // The venue would drop the protection without a word (hazard A34).
  const isProtected = stopLoss !== undefined || takeProfit !== undefined;
  assert(!(terms.reduceOnly && isProtected), 'A reducing order carries no protection');
  assert(stopLoss === undefined || stopLoss > 0, 'A stop loss is above 0');
  assert(takeProfit === undefined || takeProfit > 0, 'A take profit is above 0');
}

const optionalText = (value: Fixed | undefined): string | undefined =>
  value === undefined ? undefined : textFromFixed(value);
