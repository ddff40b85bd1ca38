import { divide, fixed, SCALE, textFromFixed, type Quantity } from '../../core/fixed/fixed.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { ExchangeOrder, PartialCloseTerms } from '../../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import { hashText, uuidOf } from '../../core/integer-hash.js';
import { notionalOf } from '../wire/order-value.js';
import { placementWire } from './place-routes.js';
import { openPositionFor, positionIdOf, type OpenPosition } from './position-lookup.js';
import { liquidationText, marginText } from '../wire/position-wire.js';
import { POSITION_NOT_IN_OPEN_STATE, rejection } from '../http/rejection-text.js';
import type { JsonBody } from '../http/request-body.js';
import {
  toFixedForChecks,
  roundedTransferAmount,
  parseOptionalDecimal,
  parseOptionalText,
} from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';

const POSITION = '/fapi/v1/futures/positions/{position_id}';

/** Actions on an open position. Checks types, then the position, then missing fields. */
export const positionActionRoutes = (context: RouteContext): readonly Route[] => [
  { method: 'POST', path: `${POSITION}/add-margin`, handle: (call) => addMargin(context, call) },
  {
    method: 'POST',
    path: `${POSITION}/close/partial`,
    handle: (call) => closePartially(context, call),
  },
  { method: 'POST', path: `${POSITION}/close`, handle: (call) => close(context, call) },
  { method: 'POST', path: `${POSITION}/reverse`, handle: (call) => reverse(context, call) },
];

/** Above 0 adds, below 0 removes, in the position's currency. */
function addMargin(context: RouteContext, call: RouteCall): RouteReply {
  const margin = call.body === undefined ? undefined : parseOptionalDecimal(call.body['margin']);
  if (margin === undefined) return PARAMS_ERROR;
  const found = openPositionFor(context, call);
  if (found === 'position-not-open') return POSITION_NOT_IN_OPEN_STATE;
  if (found === 'position-not-found') return rejection(found);
  const change = margin === null ? undefined : roundedTransferAmount<'USDT' | 'INR'>(margin);
  if (change === undefined) return PARAMS_ERROR;
  const result = context.exchange.adjustMargin(found.position.positionId, change);
  if (!result.ok) return rejection(result.code);
  const { currency, initialMargin } = result.value;
  return success({
    message: 'OK',
    initial_margin: marginText(initialMargin, currency, context.switches),
    liquidation_price: liquidationText(result.value),
    trade_currency: currency,
  });
}

function closePartially(context: RouteContext, call: RouteCall): RouteReply {
  const read = call.body === undefined ? undefined : readPartialClose(call.body);
  if (read === undefined) return PARAMS_ERROR;
  const found = openPositionFor(context, call);
  if (typeof found === 'string') return rejection(found);
  const terms = partialCloseTerms(read, found);
  if (terms === undefined) return PARAMS_ERROR;
  const result = context.exchange.closePartially(found.position.positionId, terms);
  if (!result.ok) return rejection(result.code);
  context.onPlaced(result.value);
  if (context.switches.partialCloseReply === 'true') return success(true);
  return success({
    order_id: result.value.orderId,
    position_id: found.position.positionId,
    quantity: textFromFixed(result.value.quantity),
  });
}

type PartialClose = Exclude<ReturnType<typeof readPartialClose>, undefined>;

/** Body fields; undefined when one has a wrong type. */
function readPartialClose(body: JsonBody) {
  const orderType = body['order_type'] ?? null;
  const quantity = parseOptionalDecimal(body['quantity']);
  const price = parseOptionalDecimal(body['limit_price']);
  const clientOrderId = parseOptionalText(body['client_order_id']);
  if (orderType !== null && orderType !== 'LIMIT' && orderType !== 'MARKET') return undefined;
  if (quantity === undefined || price === undefined || clientOrderId === undefined) {
    return undefined;
  }
  return { orderType, quantity, price, clientOrderId };
}

/** undefined when a required field is missing. */
function partialCloseTerms(
  { orderType, quantity, price, clientOrderId }: PartialClose,
  { listing: { instrument } }: OpenPosition,
): PartialCloseTerms | undefined {
  if (orderType === null || quantity === null) return undefined;
  if (orderType === 'LIMIT' && price === null) return undefined;
  return {
    type: orderType === 'LIMIT' ? 'limit' : 'market',
    quantity: toFixedForChecks(quantity, instrument.quantityStep),
    ...(orderType === 'LIMIT' &&
      price !== null && { price: toFixedForChecks<'price'>(price, instrument.priceStep) }),
    ...(clientOrderId !== null && { clientOrderId }),
  };
}

/** The body is optional, but must be JSON. */
function close(context: RouteContext, call: RouteCall): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  const positionId = positionIdOf(call);
  const result = context.exchange.close(positionId);
  if (!result.ok) return rejection(result.code);
  context.onPlaced(result.value);
  const usesUnrelatedId = context.switches.closeReplyPositionId === 'foreign';
  return success({
    order_id: result.value.orderId,
    position_id: usesUnrelatedId ? unrelatedId(result.value) : positionId,
    status: 'CREATED',
    message: 'OK',
  });
}

/** An id of the same form that names nothing. */
const unrelatedId = ({ orderId, createdAt }: ExchangeOrder): string =>
  uuidOf(createdAt, hashText(`foreign ${orderId}`), 0);

/** Shape of a live sample; `amount` is the order's value in USDT (supplement: part 11.2). */
function reverse(context: RouteContext, call: RouteCall): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  const result = context.exchange.reverse(positionIdOf(call));
  if (!result.ok) return reverseRejection(result.code);
  const order = result.value;
  context.onPlaced(order);
  const { leverage, ...rest } = placementWire(order);
  const replyQuantity =
    context.switches.reverseReplyQuantity === 'twice' ? order.quantity : halfOf(order);
  const amount =
    order.price === undefined ? '0' : notionalOf(order.price, order.quantity).toFixed();
  return success({ leverage, amount, ...rest, quantity: textFromFixed(replyQuantity) }, 202);
}

/** The only text of these paths that was captured with a code of null. */
const reverseRejection = (code: RejectionCode): RouteReply =>
  code === 'position-not-in-sync'
    ? failure(400, 'position not in sync with exchange', null)
    : rejection(code);

const TWO = fixed(2 * SCALE);

/** The order has twice the open quantity. */
const halfOf = ({ quantity }: ExchangeOrder): Quantity => divide(quantity, TWO);
