import type { OrderRef } from '../core/order.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import { failure, INTERNAL_ERROR, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { orderHistoryWire, orderWire } from './order-wire.js';
import { rejection } from './rejection-text.js';
import { pageOf, parseCurrency, parsePage } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

const ORDERS = '/fapi/v1/futures/orders';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const orderRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'GET', path: ORDERS, answer: (call) => list(desk, call, 'open') },
  { method: 'GET', path: `${ORDERS}/history`, answer: (call) => list(desk, call, 'history') },
  { method: 'GET', path: `${ORDERS}/detail`, answer: (call) => detail(desk, call) },
  { method: 'GET', path: `${ORDERS}/{order_id}`, answer: (call) => byId(desk, call) },
  { method: 'DELETE', path: `${ORDERS}/{order_id}`, answer: (call) => cancelById(desk, call) },
  { method: 'DELETE', path: ORDERS, answer: (call) => cancelByClientId(desk, call) },
];

function list(desk: VenueDesk, call: Call, which: 'open' | 'history'): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query);
  if (page === undefined) return PARAMS_ERROR;
  const { exchange } = desk;
  const orders = which === 'open' ? exchange.openOrders(currency) : exchange.orderHistory(currency);
  const rows = pageOf(orders, page, (order) => order.createdAt);
  return success(
    rows.map((order) => (which === 'open' ? wire(desk, order) : orderHistoryWire(order))),
  );
}

/** By either id; by both only when they name one order (interface, GET detail). */
function detail(desk: VenueDesk, call: Call): RouteReply {
  const orderId = call.query.get('order_id') ?? '';
  const clientOrderId = call.query.get('client_order_id') ?? '';
  if (orderId === '' && clientOrderId === '') return rejection('order-reference-missing');
  const order = desk.exchange.order(orderId === '' ? { clientOrderId } : { orderId });
  const agrees = orderId === '' || clientOrderId === '' || order?.clientOrderId === clientOrderId;
  return order !== undefined && agrees ? success(wire(desk, order)) : rejection('order-not-found');
}

function byId(desk: VenueDesk, call: Call): RouteReply {
  const order = desk.exchange.order({ orderId: call.parameters['order_id'] ?? '' });
  return order === undefined ? rejection('order-not-found') : success(wire(desk, order));
}

function cancelById(desk: VenueDesk, call: Call): RouteReply {
  const orderId = call.parameters['order_id'] ?? '';
  // A malformed id is an internal error at the venue (supplement, part 7).
  return UUID.test(orderId) ? cancel(desk, { orderId }) : INTERNAL_ERROR;
}

function cancelByClientId(desk: VenueDesk, call: Call): RouteReply {
  const clientOrderId = call.query.get('client_order_id') ?? '';
  if (clientOrderId === '') return rejection('order-reference-missing');
  return cancel(desk, { clientOrderId });
}

function cancel(desk: VenueDesk, ref: OrderRef): RouteReply {
  const answer = desk.exchange.cancel(ref);
  if (answer.ok) return success(cancelWire(answer.value));
  const status = desk.exchange.order(ref)?.status;
  const wasCanceled = status === 'canceled' || status === 'system-canceled';
  if (answer.code === 'order-not-open' && wasCanceled) {
    return failure(400, 'order already cancelled');
  }
  return rejection(answer.code);
}

/** Cancels of stops and targets were seen to answer with empty strings (supplement, part 7). */
const cancelWire = (order: ExchangeOrder) =>
  order.role === 'trade'
    ? { message: 'Order cancelled successfully', order_id: order.orderId, status: 'CANCELLED' }
    : { message: '', order_id: '', status: '' };

const wire = (desk: VenueDesk, order: ExchangeOrder) =>
  orderWire(order, desk.listings.assetIdOf(order.symbol));
