import { assert } from '../../core/assert.js';
import { textFromFixed, type Fixed } from '../../core/fixed.js';
import { isClientOrderId } from '../../core/ids.js';
import type { TransferReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { OrderTerms } from '../../core/order.js';
import type { FuturesApi, PlaceTerms, RiskLegChange } from './futures-api.js';

/**
 * The body of a v2 place. Its bytes are a pure function of the request: keys in one order, decimals
 * as plain strings, never an exponent (hazard H2). A retry therefore sends the same bytes.
 *
 * @throws AssertionError for terms that must never reach a wire
 */
export function placeBody({ clientOrderId, terms }: PlaceTerms): string {
  assertPlaceable(terms);
  return JSON.stringify({
    trigger_type: triggerType(terms.type),
    order_type: sideWord(terms.side),
    quantity: textFromFixed(terms.quantity),
    order_price: optionalText(terms.price),
    is_stoploss: terms.stopLoss !== undefined,
    stoploss_price: optionalText(terms.stopLoss),
    is_takeprofit: terms.takeProfit !== undefined,
    takeprofit_price: optionalText(terms.takeProfit),
    reduce_only: terms.reduceOnly,
    trade_currency: terms.currency,
    client_order_id: optionalId(clientOrderId),
  });
}

/**
 * The body of a v1 place. It sets the leverage, and names a price for a market order too.
 * @throws AssertionError for terms that must never reach a wire
 */
export function placeBodyV1({
  terms,
  leverage,
  orderPrice,
}: Parameters<FuturesApi['placeOrderV1']>[0]): string {
  assertPlaceable(terms);
  assert(orderPrice > 0, 'A v1 order has a price above 0');
  assert(terms.price === undefined || terms.price === orderPrice, 'An order has one limit price');
  return JSON.stringify({
    leverage: textFromFixed(leverage),
    quantity: textFromFixed(terms.quantity),
    order_price: textFromFixed(orderPrice),
    order_type: sideWord(terms.side),
    trigger_type: triggerType(terms.type),
    is_takeprofit: terms.takeProfit !== undefined,
    is_stoploss: terms.stopLoss !== undefined,
    stoploss_price: optionalText(terms.stopLoss),
    takeprofit_price: optionalText(terms.takeProfit),
    reduce_only: terms.reduceOnly,
    trade_currency: terms.currency,
  });
}

/** The body of an amend. */
export const amendBody = ({ price, quantity }: Parameters<FuturesApi['amendOrder']>[1]): string =>
  JSON.stringify({ order_price: textFromFixed(price), quantity: textFromFixed(quantity) });

/** The body of a new stop loss, take profit, or both. @throws AssertionError for neither */
export function riskBody(legs: Parameters<FuturesApi['setRiskOrder']>[1]): string {
  const { stopLoss, takeProfit } = legs;
  assertLegs(legs);
  return JSON.stringify({
    order_source: 'API',
    is_stoploss: stopLoss !== undefined,
    stoploss_price: optionalText(stopLoss?.price),
    stoploss_client_order_id: optionalId(stopLoss?.clientOrderId),
    is_takeprofit: takeProfit !== undefined,
    takeprofit_price: optionalText(takeProfit?.price),
    takeprofit_client_order_id: optionalId(takeProfit?.clientOrderId),
  });
}

/** The body of a change of stop loss, take profit, or both. @throws AssertionError for neither */
export function riskChangeBody(legs: Parameters<FuturesApi['editRiskOrder']>[1]): string {
  const { stopLoss, takeProfit } = legs;
  assertLegs(legs);
  return JSON.stringify({
    is_stoploss: stopLoss !== undefined,
    stoploss_price: optionalText(stopLoss?.price),
    ...legIds('stoploss', stopLoss),
    is_takeprofit: takeProfit !== undefined,
    takeprofit_price: optionalText(takeProfit?.price),
    ...legIds('takeprofit', takeProfit),
  });
}

/** The body of a partial close. @throws AssertionError for terms that must never reach a wire */
export function partialCloseBody(terms: Parameters<FuturesApi['closePartially']>[1]): string {
  const { type, quantity, price, clientOrderId } = terms;
  assert(quantity > 0, 'A partial close has a quantity above 0');
  const hasPrice = price !== undefined && price > 0;
  assert(
    type === 'limit' ? hasPrice : price === undefined,
    'A limit close, and only a limit close, has a price above 0',
  );
  return JSON.stringify({
    order_type: triggerType(type),
    quantity: textFromFixed(quantity),
    limit_price: optionalText(price),
    client_order_id: optionalId(clientOrderId),
  });
}

/** The body of more or less margin. @throws AssertionError for 0, which says nothing */
export function marginBody(margin: Fixed): string {
  assert(margin !== 0, 'A change of margin is not 0');
  return JSON.stringify({ margin: textFromFixed(margin) });
}

/** The body of a transfer between the wallets of one currency. @throws AssertionError */
export function transferBody(direction: TransferReport['direction'], amount: Fixed): string {
  assert(amount > 0, 'A transfer moves an amount above 0');
  const [from, to] = direction === 'deposit' ? ['SPOT', 'FUTURES'] : ['FUTURES', 'SPOT'];
  return JSON.stringify({
    from_wallet_type: from,
    to_wallet_type: to,
    amount: textFromFixed(amount),
  });
}

/** The body of a leverage setting; the margin type has only one value (interface, Endpoints). */
export const leverageBody = (leverage: Fixed, currency: Currency): string =>
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

function assertLegs(legs: {
  readonly stopLoss?: { readonly price: Fixed };
  readonly takeProfit?: { readonly price: Fixed };
}): void {
  const prices = [legs.stopLoss?.price, legs.takeProfit?.price].filter(
    (price) => price !== undefined,
  );
  assert(prices.length > 0, 'A risk order has a stop loss or a take profit');
  assert(
    prices.every((price) => price > 0),
    'A trigger price is above 0',
  );
}

function legIds(name: 'stoploss' | 'takeprofit', leg: RiskLegChange | undefined) {
  if (leg === undefined) return {};
  return 'orderId' in leg.order
    ? { [`${name}_order_id`]: leg.order.orderId }
    : { [`${name}_client_order_id`]: namedId(leg.order.clientOrderId) };
}

const triggerType = (type: OrderTerms['type']): string => (type === 'limit' ? 'LIMIT' : 'MARKET');
const sideWord = (side: OrderTerms['side']): string => (side === 'buy' ? 'LONG' : 'SHORT');

const optionalId = (clientOrderId: string | undefined): string | undefined =>
  clientOrderId === undefined ? undefined : namedId(clientOrderId);

const optionalText = (value: Fixed | undefined): string | undefined =>
  value === undefined ? undefined : textFromFixed(value);
