import { divide, fixed, SCALE, textFromFixed, type Quantity } from '../core/fixed.js';
import type { RejectionCode } from '../core/rejection.js';
import type { ExchangeOrder, PartialCloseTerms } from '../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { hashText, uuidOf } from './integer-hash.js';
import { valueOf } from './order-value.js';
import { placementWire } from './place-routes.js';
import { openPosition, positionIdOf, type OpenPosition } from './position-lookup.js';
import { liquidationText, marginText } from './position-wire.js';
import { POSITION_NOT_IN_OPEN_STATE, rejection } from './rejection-text.js';
import type { JsonBody } from './request-body.js';
import {
  judgeable,
  movableFloat,
  parseOptionalDecimal,
  parseOptionalText,
} from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

const POSITION = '/fapi/v1/futures/positions/{position_id}';

/** What is done to an open position. Types first, then the position, then what is missing. */
export const positionActionRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'POST', path: `${POSITION}/add-margin`, answer: (call) => addMargin(desk, call) },
  {
    method: 'POST',
    path: `${POSITION}/close/partial`,
    answer: (call) => closePartially(desk, call),
  },
  { method: 'POST', path: `${POSITION}/close`, answer: (call) => close(desk, call) },
  { method: 'POST', path: `${POSITION}/reverse`, answer: (call) => reverse(desk, call) },
];

/** Above 0 adds, below 0 gives back, in the position's currency. */
function addMargin(desk: VenueDesk, call: Call): RouteReply {
  const margin = call.body === undefined ? undefined : parseOptionalDecimal(call.body['margin']);
  if (margin === undefined) return PARAMS_ERROR;
  const found = openPosition(desk, call);
  if (found === 'position-not-open') return POSITION_NOT_IN_OPEN_STATE;
  if (found === 'position-not-found') return rejection(found);
  const change = margin === null ? undefined : movableFloat<'USDT' | 'INR'>(margin);
  if (change === undefined) return PARAMS_ERROR;
  const answer = desk.exchange.adjustMargin(found.position.positionId, change);
  if (!answer.ok) return rejection(answer.code);
  const { currency, initialMargin } = answer.value;
  return success({
    message: 'OK',
    initial_margin: marginText(initialMargin, currency, desk.switches),
    liquidation_price: liquidationText(answer.value),
    trade_currency: currency,
  });
}

function closePartially(desk: VenueDesk, call: Call): RouteReply {
  const read = call.body === undefined ? undefined : readPartialClose(call.body);
  if (read === undefined) return PARAMS_ERROR;
  const found = openPosition(desk, call);
  if (typeof found === 'string') return rejection(found);
  const terms = partialCloseTerms(read, found);
  if (terms === undefined) return PARAMS_ERROR;
  const answer = desk.exchange.closePartially(found.position.positionId, terms);
  if (!answer.ok) return rejection(answer.code);
  desk.onPlaced(answer.value);
  if (desk.switches.partialCloseReply === 'true') return success(true);
  return success({
    order_id: answer.value.orderId,
    position_id: found.position.positionId,
    quantity: textFromFixed(answer.value.quantity),
  });
}

type PartialClose = Exclude<ReturnType<typeof readPartialClose>, undefined>;

/** Body fields of the right types; undefined when one is not. */
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

/** undefined while a required field is missing. */
function partialCloseTerms(
  { orderType, quantity, price, clientOrderId }: PartialClose,
  { listing: { instrument } }: OpenPosition,
): PartialCloseTerms | undefined {
  if (orderType === null || quantity === null) return undefined;
  if (orderType === 'LIMIT' && price === null) return undefined;
  return {
    type: orderType === 'LIMIT' ? 'limit' : 'market',
    quantity: judgeable(quantity, instrument.quantityStep),
    ...(orderType === 'LIMIT' &&
      price !== null && { price: judgeable<'price'>(price, instrument.priceStep) }),
    ...(clientOrderId !== null && { clientOrderId }),
  };
}

/** No body is asked for; what is sent must still be JSON. */
function close(desk: VenueDesk, call: Call): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  const positionId = positionIdOf(call);
  const answer = desk.exchange.close(positionId);
  if (!answer.ok) return rejection(answer.code);
  desk.onPlaced(answer.value);
  const isForeign = desk.switches.closeReplyPositionId === 'foreign';
  return success({
    order_id: answer.value.orderId,
    position_id: isForeign ? foreignId(answer.value) : positionId,
    status: 'CREATED',
    message: 'OK',
  });
}

/** An id of the same look that names nothing. */
const foreignId = ({ orderId, createdAt }: ExchangeOrder): string =>
  uuidOf(createdAt, hashText(`foreign ${orderId}`), 0);

/** Shape of a live sample (supplement, part 11.2): `amount` is the order's value in USDT. */
function reverse(desk: VenueDesk, call: Call): RouteReply {
  if (call.body === undefined) return PARAMS_ERROR;
  const answer = desk.exchange.reverse(positionIdOf(call));
  if (!answer.ok) return notReversed(answer.code);
  const order = answer.value;
  desk.onPlaced(order);
  const { leverage, ...rest } = placementWire(order);
  const told = desk.switches.reverseReplyQuantity === 'twice' ? order.quantity : halfOf(order);
  const amount = order.price === undefined ? '0' : valueOf(order.price, order.quantity).toFixed();
  return success({ leverage, amount, ...rest, quantity: textFromFixed(told) }, 202);
}

/** The one text here that was seen with a code of null. */
const notReversed = (code: RejectionCode): RouteReply =>
  code === 'position-not-in-sync'
    ? failure(400, 'position not in sync with exchange', null)
    : rejection(code);

const TWO = fixed(2 * SCALE);

/** The order is for twice the open quantity. */
const halfOf = ({ quantity }: ExchangeOrder): Quantity => divide(quantity, TWO);
