import { textFromFixed } from '../../core/fixed/fixed.js';
import type { ExchangeOrder } from '../../exchange/simulated-exchange.js';
import { failure, PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import type { SandboxListing } from '../../market/synthetic/listings.js';
import { orderTerms, readPlaceFields } from './place-fields.js';
import { rejection } from '../http/rejection-text.js';
import { parseCurrency, parseOptionalText } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';

/** Order create v2 has a text of its own for this refusal (interface: order create v2). */
const INVALID_CURRENCY = failure(400, 'invalid trade_currency');
/** Fields refused in the body: v2 uses the stored leverage (interface: order create v2). */
const UNSUPPORTED_FIELDS = ['leverage', 'actual_amount', 'desired_amount'];

export const placeRoutes = (context: RouteContext): readonly Route[] => [
  { method: 'POST', path: '/fapi/v2/futures/order', handle: (call) => place(context, call) },
];

/** Checks the currency, then types and enums; the exchange checks the rest of the table. */
function place(context: RouteContext, call: RouteCall): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const currency = parseCurrency(body['trade_currency']);
  if (currency === undefined) return INVALID_CURRENCY;
  const fields = readPlaceFields(body, 'ignored');
  if (typeof fields === 'string') return rejection(fields);
  // Empty counts as unset (interface: client_order_id).
  const clientOrderId = parseOptionalText(body['client_order_id']);
  const hasUnsupportedField = UNSUPPORTED_FIELDS.some((field) => body[field] !== undefined);
  if (clientOrderId === undefined || hasUnsupportedField) return PARAMS_ERROR;
  const result = context.exchange.place({
    terms: orderTerms(fields, currency, selectedListing(context, call)),
    ...(clientOrderId !== null && { clientOrderId }),
  });
  if (!result.ok) return rejection(result.code);
  context.onPlaced(result.value);
  return success(placementWire(result.value), 202);
}

/** The asset of query `symbol` or UUID `id`; undefined when neither names one. */
function selectedListing(context: RouteContext, call: RouteCall): SandboxListing | undefined {
  const symbol = call.query.get('symbol') ?? '';
  return symbol === ''
    ? context.listings.byAssetId(call.query.get('id') ?? '')
    : context.listings.bySymbol(symbol);
}

/** Numbers are normalised strings in create responses (supplement: part 9). */
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
