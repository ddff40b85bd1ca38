import { assert } from '../../../core/assert.js';
import { textFromFixed, type Fixed } from '../../../core/fixed/fixed.js';
import { isClientOrderId } from '../../../core/ids.js';
import type { TransferReport } from '../../../core/account.js';
import type { Currency } from '../../../core/currency.js';
import type { OrderTerms } from '../../../core/order.js';
import type { FuturesApi, PlaceOrderRequest, RiskOrderChange } from '../futures-api.js';

/**
 * The body of a v2 place. Its bytes are a pure function of the request, so a retry sends the same bytes:
 * keys in a fixed order, decimals as plain strings without exponent (hazard H2).
 *
 * @throws AssertionError for terms that must never be sent
 */
export function placeBody({ clientOrderId, terms }: PlaceOrderRequest): string {
  assertPlaceable(terms);
  return JSON.stringify({
    trigger_type: triggerType(terms.type),
    order_type: sideText(terms.side),
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
 * The body of a v1 place. It also sets the leverage, and a market order needs a price too.
 * @throws AssertionError for terms that must never be sent
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
    order_type: sideText(terms.side),
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
export function riskBody(orders: Parameters<FuturesApi['setRiskOrder']>[1]): string {
  const { stopLoss, takeProfit } = orders;
  assertProtectiveOrders(orders);
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
export function riskChangeBody(orders: Parameters<FuturesApi['editRiskOrder']>[1]): string {
  const { stopLoss, takeProfit } = orders;
  assertProtectiveOrders(orders);
  return JSON.stringify({
    is_stoploss: stopLoss !== undefined,
    stoploss_price: optionalText(stopLoss?.price),
    ...protectiveOrderIdFields('stoploss', stopLoss),
    is_takeprofit: takeProfit !== undefined,
    takeprofit_price: optionalText(takeProfit?.price),
    ...protectiveOrderIdFields('takeprofit', takeProfit),
  });
}

/** The body of a partial close. @throws AssertionError for terms that must never be sent */
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

/** The body of a margin change. @throws AssertionError for 0 */
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

/** The body of a leverage setting. The venue has only one margin type. */
export const leverageBody = (leverage: Fixed, currency: Currency): string =>
  JSON.stringify({
    margin_type: 'ISOLATED',
    leverage: textFromFixed(leverage),
    trade_currency: currency,
  });

/**
 * The venue takes an empty id as unset: an order could not be found again, and a cancel would have no
 * target (hazards A22, B6).
 *
 * @throws AssertionError for anything but 1 to 64 letters, digits, hyphens and underscores
 */
export function requireClientOrderId(clientOrderId: string): string {
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
  // The venue would silently drop the protection (hazard A34).
  const isProtected = stopLoss !== undefined || takeProfit !== undefined;
  assert(!(terms.reduceOnly && isProtected), 'A reducing order carries no protection');
  assert(stopLoss === undefined || stopLoss > 0, 'A stop loss is above 0');
  assert(takeProfit === undefined || takeProfit > 0, 'A take profit is above 0');
}

function assertProtectiveOrders(orders: {
  readonly stopLoss?: { readonly price: Fixed };
  readonly takeProfit?: { readonly price: Fixed };
}): void {
  const prices = [orders.stopLoss?.price, orders.takeProfit?.price].filter(
    (price) => price !== undefined,
  );
  assert(prices.length > 0, 'A risk order has a stop loss or a take profit');
  assert(
    prices.every((price) => price > 0),
    'A trigger price is above 0',
  );
}

function protectiveOrderIdFields(
  name: 'stoploss' | 'takeprofit',
  change: RiskOrderChange | undefined,
) {
  if (change === undefined) return {};
  return 'orderId' in change.order
    ? { [`${name}_order_id`]: change.order.orderId }
    : { [`${name}_client_order_id`]: requireClientOrderId(change.order.clientOrderId) };
}

const triggerType = (type: OrderTerms['type']): string => (type === 'limit' ? 'LIMIT' : 'MARKET');
const sideText = (side: OrderTerms['side']): string => (side === 'buy' ? 'LONG' : 'SHORT');

const optionalId = (clientOrderId: string | undefined): string | undefined =>
  clientOrderId === undefined ? undefined : requireClientOrderId(clientOrderId);

const optionalText = (value: Fixed | undefined): string | undefined =>
  value === undefined ? undefined : textFromFixed(value);
