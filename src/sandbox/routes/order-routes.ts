import type { OrderRef } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { ExchangeOrder } from '../../exchange/simulated-exchange.js';
import {
  failure,
  INTERNAL_ERROR,
  PARAMS_ERROR,
  success,
  type RouteReply,
} from '../http/http-message.js';
import {
  executionReportWire,
  listedHistoryWire,
  orderHistoryWire,
  orderWire,
  shortOrderWire,
  type WireObject,
} from '../wire/order-wire.js';
import { listRules, pageOf, parsePage } from '../http/page.js';
import { rejection } from '../http/rejection-text.js';
import { toFixedForChecks, parseCurrency, parseOptionalDecimal } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';

const ORDERS = '/fapi/v1/futures/orders';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const orderRoutes = (context: RouteContext): readonly Route[] => [
  { method: 'GET', path: ORDERS, handle: (call) => list(context, call, 'open') },
  { method: 'GET', path: `${ORDERS}/history`, handle: (call) => list(context, call, 'history') },
  { method: 'GET', path: `${ORDERS}/detail`, handle: (call) => detail(context, call) },
  { method: 'GET', path: `${ORDERS}/{order_id}`, handle: (call) => byId(context, call) },
  {
    method: 'GET',
    path: `${ORDERS}/{order_id}/execution-report`,
    handle: (call) => executionReport(context, call),
  },
  { method: 'PATCH', path: `${ORDERS}/{order_id}`, handle: (call) => amend(context, call) },
  { method: 'DELETE', path: `${ORDERS}/{order_id}`, handle: (call) => cancelById(context, call) },
  { method: 'DELETE', path: ORDERS, handle: (call) => cancelByClientId(context, call) },
];

function list(context: RouteContext, call: RouteCall, which: 'open' | 'history'): RouteReply {
  const { exchange, switches } = context;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, listRules(switches));
  if (page === undefined) return PARAMS_ERROR;
  // The exchange builds only the rows that the page needs.
  const limit = page.skip + page.limit;
  const orders =
    which === 'open'
      ? exchange.openOrders(currency, limit, page.untilMs)
      : exchange.orderHistory(currency, limit, page.untilMs);
  const rows = pageOf(orders, page, (order) => order.createdAt);
  const print = (order: ExchangeOrder): WireObject =>
    which === 'open' ? wire(context, order) : historyRow(order, switches);
  return success(rows.map(print));
}

function historyRow(order: ExchangeOrder, switches: RouteContext['switches']): WireObject {
  const whole = orderHistoryWire(order, switches);
  return switches.historyClientId === 'absent' ? listedHistoryWire(whole) : whole;
}

/** By either id; by both only when they name the same order (interface: GET detail). */
function detail(context: RouteContext, call: RouteCall): RouteReply {
  const orderId = call.query.get('order_id') ?? '';
  const clientOrderId = call.query.get('client_order_id') ?? '';
  if (orderId === '' && clientOrderId === '') return rejection('order-reference-missing');
  const isHidden = orderId === '' && context.switches.detailByClientId === 'not-found';
  if (isHidden) return rejection('order-not-found');
  const order = context.exchange.order(orderId === '' ? { clientOrderId } : { orderId });
  const agrees = orderId === '' || clientOrderId === '' || order?.clientOrderId === clientOrderId;
  return order !== undefined && agrees
    ? success(wire(context, order))
    : rejection('order-not-found');
}

function byId(context: RouteContext, call: RouteCall): RouteReply {
  const order = context.exchange.order({ orderId: orderIdOf(call) });
  if (order === undefined) return rejection('order-not-found');
  const whole = wire(context, order);
  return success(context.switches.orderByIdForm === 'short' ? shortOrderWire(whole) : whole);
}

function executionReport(context: RouteContext, call: RouteCall): RouteReply {
  const { exchange, listings, switches } = context;
  const order = exchange.order({ orderId: orderIdOf(call) });
  if (order === undefined) return rejection('order-not-found');
  return success(executionReportWire(order, listings.assetIdOf(order.symbol), switches));
}

/** Needs price and quantity: a price alone is refused for its missing quantity (interface: PATCH). */
function amend(context: RouteContext, call: RouteCall): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const price = parseOptionalDecimal(body['order_price']);
  const quantity = parseOptionalDecimal(body['quantity']);
  if (price === undefined || quantity === undefined) return PARAMS_ERROR;
  const ref = { orderId: orderIdOf(call) };
  const order = context.exchange.order(ref);
  const instrument = context.listings.bySymbol(order?.symbol ?? '')?.instrument;
  if (instrument === undefined) return rejection('order-not-found');
  if (quantity === null) return rejection('quantity-range');
  if (price === null) return PARAMS_ERROR;
  const result = context.exchange.amend(ref, {
    price: toFixedForChecks(price, instrument.priceStep),
    quantity: toFixedForChecks(quantity, instrument.quantityStep),
  });
  if (!result.ok) return changeRejection(context, ref, result.code);
  context.onPlaced(result.value);
  return success({ message: 'Order updated successfully' });
}

function cancelById(context: RouteContext, call: RouteCall): RouteReply {
  const orderId = orderIdOf(call);
  // A malformed id is an internal error at the venue (supplement: part 7).
  return UUID.test(orderId) ? cancel(context, { orderId }) : INTERNAL_ERROR;
}

/** A query `order_id` is not supported, so a client id is required (interface: DELETE). */
function cancelByClientId(context: RouteContext, call: RouteCall): RouteReply {
  const clientOrderId = call.query.get('client_order_id') ?? '';
  if (clientOrderId === '') return rejection('order-reference-missing');
  return cancel(context, { clientOrderId });
}

function cancel(context: RouteContext, ref: OrderRef): RouteReply {
  const result = context.exchange.cancel(ref);
  if (!result.ok) return changeRejection(context, ref, result.code);
  return success(cancelWire(result.value, context.switches.legCancelReply));
}

/** The text for an ended order names its end (supplement: part 7). */
function changeRejection(context: RouteContext, ref: OrderRef, code: RejectionCode): RouteReply {
  const status = context.exchange.order(ref)?.status;
  const wasCanceled = status === 'canceled' || status === 'system-canceled';
  return code === 'order-not-open' && wasCanceled
    ? failure(400, 'order already cancelled')
    : rejection(code);
}

/** Captured cancels of stops and targets answer empty strings (supplement: part 7). */
const cancelWire = (order: ExchangeOrder, protectiveReply: 'empty' | 'filled') =>
  order.role === 'trade' || protectiveReply === 'filled'
    ? { message: 'Order cancelled successfully', order_id: order.orderId, status: 'CANCELLED' }
    : { message: '', order_id: '', status: '' };

const orderIdOf = (call: RouteCall): string => call.parameters['order_id'] ?? '';

const wire = (context: RouteContext, order: ExchangeOrder): WireObject =>
  orderWire(order, context.listings.assetIdOf(order.symbol), context.switches);
