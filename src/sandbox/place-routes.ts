import { textFromFixed } from '../core/fixed.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import type { SandboxListing } from './listings.js';
import { orderTerms, readPlaceFields } from './place-fields.js';
import { rejection } from './rejection-text.js';
import { parseCurrency, parseOptionalText } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

/** The place endpoint spells this text its own way (interface, Order create v2). */
const INVALID_CURRENCY = failure(400, 'invalid trade_currency');
/** Not accepted in the body (interface, POST v2 order): leverage is the stored one. */
const FOREIGN_FIELDS = ['leverage', 'actual_amount', 'desired_amount'];

export const placeRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'POST', path: '/fapi/v2/futures/order', answer: (call) => place(desk, call) },
];

/** Currency first, then types and enums (design part 8); the exchange does the rest of the table. */
function place(desk: VenueDesk, call: Call): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return INVALID_CURRENCY;
  const fields = readPlaceFields(body, 'ignored');
  if (typeof fields === 'string') return rejection(fields);
  // Empty counts as unset (interface, client_order_id).
  const clientOrderId = parseOptionalText(body['client_order_id']);
  const isForeign = FOREIGN_FIELDS.some((field) => body[field] !== undefined);
  if (clientOrderId === undefined || isForeign) return PARAMS_ERROR;
  const answer = desk.exchange.place({
    terms: orderTerms(fields, currency, selectedListing(desk, call)),
    ...(clientOrderId !== null && { clientOrderId }),
  });
  if (!answer.ok) return rejection(answer.code);
  desk.onPlaced(answer.value);
  return success(placementWire(answer.value), 202);
}

/** Query `symbol`, or `id` with the asset's UUID; undefined when neither names an asset. */
function selectedListing(desk: VenueDesk, call: Call): SandboxListing | undefined {
  const symbol = call.query.get('symbol') ?? '';
  return symbol === ''
    ? desk.listings.byAssetId(call.query.get('id') ?? '')
    : desk.listings.bySymbol(symbol);
}

/** Numbers are strings in create responses, and normalised (supplement, part 9). */
export const placementWire = (order: ExchangeOrder) => ({
  leverage: textFromFixed(order.leverage),
  quantity: textFromFixed(order.quantity),
  price: order.price === undefined ? '0' : textFromFixed(order.price),
  order_id: order.orderId,
  status: 'CREATED',
  message: 'OK',
  client_order_id: order.clientOrderId ?? null,
  position_id: order.positionId ?? '',
});
