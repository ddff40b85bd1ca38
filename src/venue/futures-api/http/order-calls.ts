import { amendBody, requireClientOrderId, placeBody, placeBodyV1 } from './request-bodies.js';
import { assetQuery, assetSegment } from './asset-calls.js';
import type { FuturesApi } from '../futures-api.js';
import { listOutcome } from './outcome.js';
import type { HttpClient } from './http-client.js';
import { rangeQuery, type Query, type RestUrls } from './url.js';
import { executionReportSchema } from '../wire/wire-execution.js';
import {
  wrongEcho,
  orderSchema,
  ordersSchema,
  wrongOrder,
  placementSchema,
  type OrderIdentifiers,
} from '../wire/wire-order.js';
import { ignoredSchema } from '../wire/wire-value.js';

type OrderCalls = Pick<
  FuturesApi,
  | 'placeOrder'
  | 'placeOrderV1'
  | 'openOrders'
  | 'orderHistory'
  | 'orderById'
  | 'orderDetail'
  | 'executionReport'
  | 'amendOrder'
  | 'cancelOrder'
>;

/** Calls that place, read, amend and cancel orders. */
export const orderCalls = (client: HttpClient, urls: RestUrls): OrderCalls => ({
  ...placeCalls(client, urls),
  ...orderReads(client, urls),
  amendOrder: (orderId, change) =>
    client.perform('amendOrder', ignoredSchema, () => ({
      url: urls.futures(['orders', orderId]),
      body: amendBody(change),
    })),
  cancelOrder: (order) =>
    'clientOrderId' in order
      ? client.perform('cancelOrderByClientId', ignoredSchema, () => ({
          url: urls.futures(['orders'], {
            client_order_id: requireClientOrderId(order.clientOrderId),
          }),
        }))
      : client.perform('cancelOrder', ignoredSchema, () => ({
          url: urls.futures(['orders', order.orderId]),
        })),
});

const placeCalls = (
  client: HttpClient,
  urls: RestUrls,
): Pick<OrderCalls, 'placeOrder' | 'placeOrderV1'> => ({
  placeOrder: (order) =>
    client.perform(
      'placeOrder',
      placementSchema,
      () => {
        const { asset = { symbol: order.terms.symbol } } = order;
        const query = 'symbol' in asset ? { symbol: asset.symbol } : { id: asset.assetId };
        return { url: urls.placeOrder(query), body: placeBody(order) };
      },
      wrongEcho(order.clientOrderId),
    ),
  placeOrderV1: (order) =>
    client.perform('placeOrderV1', placementSchema, () => {
      const { asset = { symbol: order.terms.symbol } } = order;
      const url = urls.futures([assetSegment(asset), 'order'], assetQuery(asset));
      return { url, body: placeBodyV1(order) };
    }),
});

const orderReads = (
  client: HttpClient,
  urls: RestUrls,
): Pick<
  OrderCalls,
  'openOrders' | 'orderHistory' | 'orderById' | 'orderDetail' | 'executionReport'
> => ({
  openOrders: async (currency, range) =>
    listOutcome(
      await client.perform('openOrders', ordersSchema(currency), () => ({
        url: urls.futures(['orders'], { trade_currency: currency, ...rangeQuery(range) }),
      })),
    ),
  orderHistory: async (currency, range) =>
    listOutcome(
      await client.perform('orderHistory', ordersSchema(currency), () => ({
        url: urls.futures(['orders', 'history'], {
          trade_currency: currency,
          ...rangeQuery(range),
        }),
      })),
    ),
  orderById: (orderId) =>
    client.perform(
      'orderById',
      orderSchema(undefined),
      () => ({ url: urls.futures(['orders', orderId]) }),
      wrongOrder({ orderId }),
    ),
  orderDetail: (order) =>
    client.perform(
      'orderDetail',
      orderSchema(undefined),
      () => ({ url: urls.futures(['orders', 'detail'], detailQuery(order)) }),
      wrongOrder(order),
    ),
  executionReport: (orderId) =>
    client.perform('executionReport', executionReportSchema(orderId), () => ({
      url: urls.futures(['orders', orderId, 'execution-report']),
    })),
});

const detailQuery = (order: OrderIdentifiers): Query => ({
  ...('orderId' in order && { order_id: order.orderId }),
  ...('clientOrderId' in order && { client_order_id: requireClientOrderId(order.clientOrderId) }),
});
