import { amendBody, namedId, placeBody, placeBodyV1 } from './encode.js';
import { assetQuery, assetSegment } from './asset-calls.js';
import type { FuturesApi } from './futures-api.js';
import { listed } from './outcome.js';
import { rangeQuery } from './range-query.js';
import type { Requester } from './requester.js';
import type { Query, RestUrls } from './url.js';
import { executionReportSchema } from './wire-execution.js';
import {
  noEchoOf,
  orderSchema,
  ordersSchema,
  otherThan,
  placementSchema,
  type AskedOrder,
} from './wire-order.js';
import { nothingRead } from './wire-value.js';

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

/** Orders: placed, read, changed and ended. */
export const orderCalls = (requester: Requester, urls: RestUrls): OrderCalls => ({
  ...placeCalls(requester, urls),
  ...orderReads(requester, urls),
  amendOrder: (orderId, to) =>
    requester.perform('amendOrder', nothingRead, () => ({
      url: urls.futures(['orders', orderId]),
      body: amendBody(to),
    })),
  cancelOrder: (order) =>
    'clientOrderId' in order
      ? requester.perform('cancelOrderByClientId', nothingRead, () => ({
          url: urls.futures(['orders'], { client_order_id: namedId(order.clientOrderId) }),
        }))
      : requester.perform('cancelOrder', nothingRead, () => ({
          url: urls.futures(['orders', order.orderId]),
        })),
});

const placeCalls = (
  requester: Requester,
  urls: RestUrls,
): Pick<OrderCalls, 'placeOrder' | 'placeOrderV1'> => ({
  placeOrder: (order) =>
    requester.perform(
      'placeOrder',
      placementSchema,
      () => {
        const { asset = { symbol: order.terms.symbol } } = order;
        const query = 'symbol' in asset ? { symbol: asset.symbol } : { id: asset.assetId };
        return { url: urls.placeOrder(query), body: placeBody(order) };
      },
      noEchoOf(order.clientOrderId),
    ),
  placeOrderV1: (order) =>
    requester.perform('placeOrderV1', placementSchema, () => {
      const { asset = { symbol: order.terms.symbol } } = order;
      const url = urls.futures([assetSegment(asset), 'order'], assetQuery(asset));
      return { url, body: placeBodyV1(order) };
    }),
});

const orderReads = (
  requester: Requester,
  urls: RestUrls,
): Pick<
  OrderCalls,
  'openOrders' | 'orderHistory' | 'orderById' | 'orderDetail' | 'executionReport'
> => ({
  openOrders: async (currency, range) =>
    listed(
      await requester.perform('openOrders', ordersSchema(currency), () => ({
        url: urls.futures(['orders'], { trade_currency: currency, ...rangeQuery(range) }),
      })),
    ),
  orderHistory: async (currency, range) =>
    listed(
      await requester.perform('orderHistory', ordersSchema(currency), () => ({
        url: urls.futures(['orders', 'history'], {
          trade_currency: currency,
          ...rangeQuery(range),
        }),
      })),
    ),
  orderById: (orderId) =>
    requester.perform(
      'orderById',
      orderSchema(undefined),
      () => ({ url: urls.futures(['orders', orderId]) }),
      otherThan({ orderId }),
    ),
  orderDetail: (order) =>
    requester.perform(
      'orderDetail',
      orderSchema(undefined),
      () => ({ url: urls.futures(['orders', 'detail'], detailQuery(order)) }),
      otherThan(order),
    ),
  executionReport: (orderId) =>
    requester.perform('executionReport', executionReportSchema(orderId), () => ({
      url: urls.futures(['orders', orderId, 'execution-report']),
    })),
});

const detailQuery = (order: AskedOrder): Query => ({
  ...('orderId' in order && { order_id: order.orderId }),
  ...('clientOrderId' in order && { client_order_id: namedId(order.clientOrderId) }),
});
