import type { Amount, Price, Quantity, Ratio } from '../../../src/core/fixed/fixed.js';
import type { Interval } from '../../../src/core/interval.js';
import type { OrderRef, OrderTerms } from '../../../src/core/order.js';
import type { Outcome } from '../../../src/core/request.js';
import type { AssetRef, FuturesApi } from '../../../src/venue/futures-api/futures-api.js';
import type { RawRequest } from '../venue-under-test.js';
import { agreements, type Agreement } from './agreement.js';
import { FieldReader, failUntyped } from './field-reader.js';

/** The typed call that is equivalent to a raw request. */
export interface TypedCall {
  readonly method: keyof FuturesApi;
  readonly run: (api: FuturesApi) => Promise<Outcome<unknown>>;
  /** Compares the value of a success with the raw `data`. */
  readonly agrees: Agreement;
}

interface Parts {
  /** The `{…}` segments. */
  readonly ids: readonly string[];
  readonly query: FieldReader;
  readonly body: FieldReader;
}

type Reader = (parts: Parts) => (api: FuturesApi) => Promise<Outcome<unknown>>;

/** @throws UntypedRequest */
export function typedCall(request: RawRequest): TypedCall {
  if (request.headers !== undefined) failUntyped('headers of its own');
  for (const [line, method, reader] of READERS) {
    const ids = match(line, request);
    if (ids === undefined) continue;
    const parts = { ids, query: FieldReader.query(request), body: FieldReader.body(request) };
    const run = reader(parts);
    parts.query.end();
    parts.body.end();
    return { method, run, agrees: agreements[method] };
  }
  return failUntyped('no method for the path');
}

function match(line: string, request: RawRequest): readonly string[] | undefined {
  const [method = '', pattern = ''] = line.split(' ');
  if (method !== request.method) return undefined;
  const expected = pattern.split('/');
  const segments = request.path.split('/');
  if (expected.length !== segments.length) return undefined;
  const ids: string[] = [];
  for (const [at, part] of expected.entries()) {
    const segment = decodeURIComponent(segments[at] ?? '');
    if (part === '*') ids.push(segment);
    else if (part !== segment) return undefined;
  }
  return ids;
}

const idOf = ({ ids }: Parts): string => {
  const [id = ''] = ids;
  return id === '' ? failUntyped('an empty id') : id;
};

const assetOf = (parts: Parts): AssetRef =>
  parts.query.take('is_symbol') === undefined ? { assetId: idOf(parts) } : { symbol: idOf(parts) };

function selectedAsset({ query }: Parts): AssetRef {
  const symbol = query.text('symbol');
  const assetId = query.text('id');
  if ((symbol === undefined) === (assetId === undefined)) failUntyped('one selector');
  return symbol === undefined ? { assetId: assetId ?? '' } : { symbol };
}

/** Flag and price of a protective order. The types cannot express one without the other. */
function riskOrderPrice(body: FieldReader, name: 'stoploss' | 'takeprofit'): Price | undefined {
  const flag = body.flag(`is_${name}`);
  const price = body.decimal<'price'>(`${name}_price`);
  if (flag !== (price !== undefined)) failUntyped(`half a ${name}`);
  return price;
}

function termsOf(body: FieldReader, symbol: string, type: OrderTerms['type']): OrderTerms {
  const direction = body.needed(body.oneOf('order_type', ['LONG', 'SHORT']), 'order_type');
  const quantity = body.needed(body.decimal<'quantity'>('quantity'), 'quantity');
  const stopLoss = riskOrderPrice(body, 'stoploss');
  const takeProfit = riskOrderPrice(body, 'takeprofit');
  return {
    symbol,
    currency: body.currency(),
    side: direction === 'LONG' ? 'buy' : 'sell',
    type,
    quantity,
    reduceOnly: body.flag('reduce_only'),
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  };
}

const typeOf = (body: FieldReader, name: string): OrderTerms['type'] =>
  body.needed(body.oneOf(name, ['MARKET', 'LIMIT']), name) === 'LIMIT' ? 'limit' : 'market';

function place(parts: Parts) {
  const { body } = parts;
  const asset = selectedAsset(parts);
  const type = typeOf(body, 'trigger_type');
  const price = body.decimal<'price'>('order_price');
  if ((type === 'limit') !== (price !== undefined)) failUntyped('a price, or none');
  const clientOrderId = body.text('client_order_id');
  const symbol = 'symbol' in asset ? asset.symbol : 'by id';
  const terms = { ...termsOf(body, symbol, type), ...(price === undefined ? {} : { price }) };
  const named = clientOrderId === undefined ? {} : { clientOrderId };
  return (api: FuturesApi) => api.placeOrder({ terms, asset, ...named });
}

function placeV1(parts: Parts) {
  const { body } = parts;
  const asset = assetOf(parts);
  const type = typeOf(body, 'trigger_type');
  const orderPrice = body.needed(body.decimal<'price'>('order_price'), 'order_price');
  const leverage = body.needed(body.decimal<'ratio'>('leverage'), 'leverage') as Ratio;
  const terms = {
    ...termsOf(body, idOf(parts), type),
    ...(type === 'limit' ? { price: orderPrice } : {}),
  };
  return (api: FuturesApi) => api.placeOrderV1({ terms, leverage, orderPrice, asset });
}

function transfer(body: FieldReader) {
  const wallets = ['SPOT', 'FUTURES'] as const;
  const from = body.needed(body.oneOf('from_wallet_type', wallets), 'from');
  const to = body.needed(body.oneOf('to_wallet_type', wallets), 'to');
  if (from === to) failUntyped('the same wallet');
  const amount = body.needed(body.decimal('amount'), 'amount') as Amount;
  return { direction: from === 'SPOT' ? ('deposit' as const) : ('withdraw' as const), amount };
}

function newRiskOrders(body: FieldReader) {
  body.oneOf('order_source', ['API']);
  const riskOrders = (['stoploss', 'takeprofit'] as const).map((name) => {
    const price = riskOrderPrice(body, name);
    const clientOrderId = body.text(`${name}_client_order_id`);
    if (price === undefined) return undefined;
    return { price, ...(clientOrderId === undefined ? {} : { clientOrderId }) };
  });
  const [stopLoss, takeProfit] = riskOrders;
  return {
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  };
}

function changedRiskOrders(body: FieldReader) {
  const riskOrders = (['stoploss', 'takeprofit'] as const).map((name) => {
    const price = riskOrderPrice(body, name);
    const orderId = body.text(`${name}_order_id`);
    const clientOrderId = body.text(`${name}_client_order_id`);
    if (price === undefined) return undefined;
    if ((orderId === undefined) === (clientOrderId === undefined)) failUntyped('one id');
    const order: OrderRef =
      orderId === undefined ? { clientOrderId: clientOrderId ?? '' } : { orderId };
    return { price, order };
  });
  const [stopLoss, takeProfit] = riskOrders;
  return {
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  };
}

function detail({ query }: Parts) {
  const orderId = query.text('order_id');
  const clientOrderId = query.text('client_order_id');
  if (orderId !== undefined && clientOrderId !== undefined) {
    return (api: FuturesApi) => api.orderDetail({ orderId, clientOrderId });
  }
  if (orderId !== undefined) return (api: FuturesApi) => api.orderDetail({ orderId });
  if (clientOrderId === undefined) return failUntyped('an order without an id');
  return (api: FuturesApi) => api.orderDetail({ clientOrderId });
}

const INTERVALS: Readonly<Record<string, Interval>> = {
  '1m': '1m',
  '3t': '3m',
  '5t': '5m',
  '10t': '10m',
  '15t': '15m',
  '30t': '30m',
  '1h': '1h',
  '4h': '4h',
  '6h': '6h',
  '12h': '12h',
  '1d': '1d',
  '1w': '1w',
  '1mth': '1M',
};
const ASSETS = /^[a-z\d]+\/usdt(?:,[a-z\d]+\/usdt)*$/i;

function candleQuery({ query }: Parts) {
  const assets = query.needed(query.text('assets'), 'assets');
  if (!ASSETS.test(assets)) failUntyped('assets that are no pairs');
  const interval = INTERVALS[query.text('aggregation') ?? ''] ?? failUntyped('no interval');
  const from = query.needed(query.whole('start_time'), 'start_time');
  const to = query.needed(query.whole('end_time'), 'end_time');
  const symbols = assets.split(',').map((pair) => pair.replace('/', '').toUpperCase());
  return { symbols, interval, fromMs: from * 1_000, toMs: to * 1_000 };
}

const V1 = '/fapi/v1/futures';

/** The first match counts: literal segments go before `*`. */
const READERS: readonly (readonly [line: string, method: keyof FuturesApi, reader: Reader])[] = [
  [`GET ${V1}/ping`, 'ping', () => (api) => api.ping()],
  [
    'GET /fapi/v1/wallet/funds',
    'spotWallet',
    ({ query }) => {
      const currency = query.currency('currency');
      return (api) => api.spotWallet(currency);
    },
  ],
  [
    `GET ${V1}/funds`,
    'futuresWallet',
    ({ query }) => {
      const currency = query.currency();
      return (api) => api.futuresWallet(currency);
    },
  ],
  [
    'POST /fapi/v1/wallet/futures/transfer',
    'transferUsdt',
    ({ body }) => {
      const { direction, amount } = transfer(body);
      return (api) => api.transferUsdt(direction, amount);
    },
  ],
  [
    `POST ${V1}/transfers/inr`,
    'transferInr',
    ({ body }) => {
      const { direction, amount } = transfer(body);
      return (api) => api.transferInr(direction, amount);
    },
  ],
  [
    `GET ${V1}/transactions`,
    'transactions',
    ({ query }) => {
      const currency = query.currency();
      const type = query.oneOf('type', ['DEPOSIT', 'WITHDRAW']);
      const status = query.oneOf('status', ['processing', 'completed']);
      const sortBy = query.oneOf('sort_by', ['created_at', 'updated_at']);
      const sortOrder = query.oneOf('sort_order', ['asc', 'desc']);
      const filter = {
        ...(type === undefined
          ? {}
          : { direction: type === 'DEPOSIT' ? ('deposit' as const) : ('withdraw' as const) }),
        ...(status === undefined ? {} : { status }),
        ...(sortBy === undefined ? {} : { sortBy }),
        ...(sortOrder === undefined ? {} : { sortOrder }),
        ...query.range(),
      };
      return (api) => api.transactions(currency, filter);
    },
  ],
  [
    `GET ${V1}`,
    'assets',
    ({ query }) => {
      const sort = query.oneOf('sort', ['price', 'volume', 'change_perc', 'popularity']);
      const order = query.oneOf('order', ['asc', 'desc']);
      const sorting = {
        ...(sort === undefined ? {} : { sort }),
        ...(order === undefined ? {} : { order }),
      };
      const range = query.range();
      return (api) => api.assets({ ...sorting, ...range });
    },
  ],
  ...lists(),
  [`GET ${V1}/orders/detail`, 'orderDetail', detail],
  [
    `GET ${V1}/orders/*`,
    'orderById',
    (parts) => {
      const id = idOf(parts);
      return (api) => api.orderById(id);
    },
  ],
  [
    `GET ${V1}/orders/*/execution-report`,
    'executionReport',
    (parts) => {
      const id = idOf(parts);
      return (api) => api.executionReport(id);
    },
  ],
  [
    `PATCH ${V1}/orders/*`,
    'amendOrder',
    (parts) => {
      const { body } = parts;
      const id = idOf(parts);
      const price = body.needed(body.decimal('order_price'), 'order_price') as Price;
      const quantity = body.needed(body.decimal('quantity'), 'quantity') as Quantity;
      return (api) => api.amendOrder(id, { price, quantity });
    },
  ],
  [
    `DELETE ${V1}/orders/*`,
    'cancelOrder',
    (parts) => {
      const orderId = idOf(parts);
      return (api) => api.cancelOrder({ orderId });
    },
  ],
  [
    `DELETE ${V1}/orders`,
    'cancelOrder',
    ({ query }) => {
      const clientOrderId = query.needed(query.text('client_order_id'), 'client_order_id');
      return (api) => api.cancelOrder({ clientOrderId });
    },
  ],
  [
    `POST ${V1}/positions/*/riskorder`,
    'setRiskOrder',
    (parts) => {
      const id = idOf(parts);
      const riskOrders = newRiskOrders(parts.body);
      return (api) => api.setRiskOrder(id, riskOrders);
    },
  ],
  [
    `PATCH ${V1}/positions/*/riskorder`,
    'editRiskOrder',
    (parts) => {
      const id = idOf(parts);
      const riskOrders = changedRiskOrders(parts.body);
      return (api) => api.editRiskOrder(id, riskOrders);
    },
  ],
  [
    `POST ${V1}/positions/*/add-margin`,
    'addMargin',
    (parts) => {
      const id = idOf(parts);
      const margin = parts.body.needed(parts.body.decimal('margin'), 'margin') as Amount;
      return (api) => api.addMargin(id, margin);
    },
  ],
  [
    `POST ${V1}/positions/*/close/partial`,
    'closePartially',
    (parts) => {
      const { body } = parts;
      const id = idOf(parts);
      const type = typeOf(body, 'order_type');
      const quantity = body.needed(body.decimal('quantity'), 'quantity') as Quantity;
      const price = body.decimal<'price'>('limit_price');
      const clientOrderId = body.text('client_order_id');
      const terms = {
        type,
        quantity,
        ...(price === undefined ? {} : { price }),
        ...(clientOrderId === undefined ? {} : { clientOrderId }),
      };
      return (api) => api.closePartially(id, terms);
    },
  ],
  [
    `POST ${V1}/positions/*/close`,
    'closePosition',
    (parts) => {
      const id = idOf(parts);
      return (api) => api.closePosition(id);
    },
  ],
  [
    `POST ${V1}/positions/*/reverse`,
    'reversePosition',
    (parts) => {
      const id = idOf(parts);
      return (api) => api.reversePosition(id);
    },
  ],
  [
    `GET ${V1}/positions/*/liq-price`,
    'liquidationPrice',
    (parts) => {
      const id = idOf(parts);
      const margin = parts.query.decimal('ext_margin') as Amount | undefined;
      return (api) => api.liquidationPrice(id, margin);
    },
  ],
  [
    'GET /fapi/v1/price/kline',
    'klines',
    (parts) => {
      const query = candleQuery(parts);
      return (api) => api.klines(query);
    },
  ],
  [
    'GET /fapi/v1/price/mark-kline',
    'markKlines',
    (parts) => {
      const query = candleQuery(parts);
      return (api) => api.markKlines(query);
    },
  ],
  ['POST /fapi/v2/futures/order', 'placeOrder', place],
  [`POST ${V1}/*/order`, 'placeOrderV1', placeV1],
  [
    `GET ${V1}/*/leverage`,
    'leverage',
    (parts) => {
      const asset = assetOf(parts);
      const currency = parts.query.currency();
      return (api) => api.leverage(asset, currency);
    },
  ],
  [
    `POST ${V1}/*/leverage`,
    'setLeverage',
    (parts) => {
      const { body } = parts;
      const asset = assetOf(parts);
      body.oneOf('margin_type', ['ISOLATED']);
      const leverage = body.needed(body.decimal('leverage'), 'leverage') as Ratio;
      const currency = body.currency();
      return (api) => api.setLeverage(asset, currency, leverage);
    },
  ],
  [
    `GET ${V1}/*`,
    'asset',
    (parts) => {
      const asset = assetOf(parts);
      return (api) => api.asset(asset);
    },
  ],
];

function lists(): typeof READERS {
  const ranged = [
    ['orders', 'openOrders'],
    ['orders/history', 'orderHistory'],
    ['positions', 'positions'],
    ['positions/history', 'positionHistory'],
    ['fee/history', 'feeHistory'],
  ] as const;
  return ranged.map(([path, method]) => [
    `GET ${V1}/${path}`,
    method,
    ({ query }) => {
      const currency = query.currency();
      const range = query.range();
      return (api) => api[method](currency, range);
    },
  ]);
}
