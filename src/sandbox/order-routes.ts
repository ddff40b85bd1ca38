import type { OrderRef } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import { executionReportWire } from './execution-wire.js';
import { failure, INTERNAL_ERROR, PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import {
  listedHistoryWire,
  orderHistoryWire,
  orderWire,
  shortOrderWire,
  type WireObject,
} from './order-wire.js';
import { listRules, pageOf, parsePage } from './page.js';
import { rejection } from './rejection-text.js';
import { judgeable, parseCurrency, parseOptionalDecimal } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

const ORDERS = '/fapi/v1/futures/orders';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const orderRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'GET', path: ORDERS, answer: (call) => list(desk, call, 'open') },
  { method: 'GET', path: `${ORDERS}/history`, answer: (call) => list(desk, call, 'history') },
  { method: 'GET', path: `${ORDERS}/detail`, answer: (call) => detail(desk, call) },
  { method: 'GET', path: `${ORDERS}/{order_id}`, answer: (call) => byId(desk, call) },
  {
    method: 'GET',
    path: `${ORDERS}/{order_id}/execution-report`,
    answer: (call) => executionReport(desk, call),
  },
  { method: 'PATCH', path: `${ORDERS}/{order_id}`, answer: (call) => amend(desk, call) },
  { method: 'DELETE', path: `${ORDERS}/{order_id}`, answer: (call) => cancelById(desk, call) },
  { method: 'DELETE', path: ORDERS, answer: (call) => cancelByClientId(desk, call) },
];

function list(desk: VenueDesk, call: Call, which: 'open' | 'history'): RouteReply {
  const { exchange, switches } = desk;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, listRules(switches));
  if (page === undefined) return PARAMS_ERROR;
  // No more is looked at than the page tells.
  const most = page.skip + page.limit;
  const orders =
    which === 'open'
      ? exchange.openOrders(currency, most, page.untilMs)
      : exchange.orderHistory(currency, most, page.untilMs);
  const rows = pageOf(orders, page, (order) => order.createdAt);
  const print = (order: ExchangeOrder): WireObject =>
    which === 'open' ? wire(desk, order) : historyRow(order, switches);
  return success(rows.map(print));
}

function historyRow(order: ExchangeOrder, switches: VenueDesk['switches']): WireObject {
  const whole = orderHistoryWire(order, switches);
  return switches.historyClientId === 'absent' ? listedHistoryWire(whole) : whole;
}

/** By either id; by both only when they name one order (interface, GET detail). */
function detail(desk: VenueDesk, call: Call): RouteReply {
  const orderId = call.query.get('order_id') ?? '';
  const clientOrderId = call.query.get('client_order_id') ?? '';
  if (orderId === '' && clientOrderId === '') return rejection('order-reference-missing');
  const isBlind = orderId === '' && desk.switches.detailByClientId === 'not-found';
  if (isBlind) return rejection('order-not-found');
  const order = desk.exchange.order(orderId === '' ? { clientOrderId } : { orderId });
  const agrees = orderId === '' || clientOrderId === '' || order?.clientOrderId === clientOrderId;
  return order !== undefined && agrees ? success(wire(desk, order)) : rejection('order-not-found');
}

function byId(desk: VenueDesk, call: Call): RouteReply {
  const order = desk.exchange.order({ orderId: orderIdOf(call) });
  if (order === undefined) return rejection('order-not-found');
  const whole = wire(desk, order);
  return success(desk.switches.orderByIdForm === 'short' ? shortOrderWire(whole) : whole);
}

function executionReport(desk: VenueDesk, call: Call): RouteReply {
  const { exchange, listings, switches } = desk;
  const order = exchange.order({ orderId: orderIdOf(call) });
  if (order === undefined) return rejection('order-not-found');
  return success(executionReportWire(order, listings.assetIdOf(order.symbol), switches));
}

/** Price and quantity, both: a price alone is refused for its missing quantity (interface, PATCH). */
function amend(desk: VenueDesk, call: Call): RouteReply {
  const { body } = call;
  if (body === undefined) return PARAMS_ERROR;
  const price = parseOptionalDecimal(body['order_price']);
  const quantity = parseOptionalDecimal(body['quantity']);
  if (price === undefined || quantity === undefined) return PARAMS_ERROR;
  const ref = { orderId: orderIdOf(call) };
  const order = desk.exchange.order(ref);
  const instrument = desk.listings.bySymbol(order?.symbol ?? '')?.instrument;
  if (instrument === undefined) return rejection('order-not-found');
  if (quantity === null) return rejection('quantity-range');
  if (price === null) return PARAMS_ERROR;
  const answer = desk.exchange.amend(ref, {
    price: judgeable(price, instrument.priceStep),
    quantity: judgeable(quantity, instrument.quantityStep),
  });
  if (!answer.ok) return refusedChange(desk, ref, answer.code);
  desk.onPlaced(answer.value);
  return success({ message: 'Order updated successfully' });
}

function cancelById(desk: VenueDesk, call: Call): RouteReply {
  const orderId = orderIdOf(call);
  // A malformed id is an internal error at the venue (supplement, part 7).
  return UUID.test(orderId) ? cancel(desk, { orderId }) : INTERNAL_ERROR;
}

/** A query `order_id` is not supported here (interface, DELETE): without a client id nothing is named. */
function cancelByClientId(desk: VenueDesk, call: Call): RouteReply {
  const clientOrderId = call.query.get('client_order_id') ?? '';
  if (clientOrderId === '') return rejection('order-reference-missing');
  return cancel(desk, { clientOrderId });
}

function cancel(desk: VenueDesk, ref: OrderRef): RouteReply {
  const answer = desk.exchange.cancel(ref);
  if (!answer.ok) return refusedChange(desk, ref, answer.code);
  return success(cancelWire(answer.value, desk.switches.legCancelReply));
}

/** Of an order that has ended, its end is told (supplement, part 7). */
function refusedChange(desk: VenueDesk, ref: OrderRef, code: RejectionCode): RouteReply {
  const status = desk.exchange.order(ref)?.status;
  const wasCanceled = status === 'canceled' || status === 'system-canceled';
  return code === 'order-not-open' && wasCanceled
    ? failure(400, 'order already cancelled')
    : rejection(code);
}

/** Cancels of stops and targets were seen to answer with empty strings (supplement, part 7). */
const cancelWire = (order: ExchangeOrder, legReply: 'empty' | 'filled') =>
  order.role === 'trade' || legReply === 'filled'
    ? { message: 'Order cancelled successfully', order_id: order.orderId, status: 'CANCELLED' }
    : { message: '', order_id: '', status: '' };

const orderIdOf = (call: Call): string => call.parameters['order_id'] ?? '';

const wire = (desk: VenueDesk, order: ExchangeOrder): WireObject =>
  orderWire(order, desk.listings.assetIdOf(order.symbol), desk.switches);
