import fc from 'fast-check';
import { SECRET } from '../support/rigs/test-sandbox.js';
import { bodyFor } from './fuzz-bodies.js';

export const FUTURES = '/fapi/v1/futures';

/** `{order}` and `{position}` are replaced by existing ids, chosen by number. */
const PATHS = [
  `${FUTURES}`,
  `${FUTURES}/ping`,
  `${FUTURES}/BTCUSDT`,
  `${FUTURES}/BTCUSDT/leverage`,
  `${FUTURES}/BTCUSDT/order`,
  `${FUTURES}/ETH%2FUSDT/order`,
  '/fapi/v2/futures/order',
  `${FUTURES}/orders`,
  `${FUTURES}/orders/history`,
  `${FUTURES}/orders/detail`,
  `${FUTURES}/orders/{order}`,
  `${FUTURES}/orders/{order}/execution-report`,
  `${FUTURES}/positions`,
  `${FUTURES}/positions/history`,
  `${FUTURES}/positions/{position}/riskorder`,
  `${FUTURES}/positions/{position}/add-margin`,
  `${FUTURES}/positions/{position}/close/partial`,
  `${FUTURES}/positions/{position}/close`,
  `${FUTURES}/positions/{position}/reverse`,
  `${FUTURES}/positions/{position}/liq-price`,
  `${FUTURES}/fee/history`,
  `${FUTURES}/funds`,
  `${FUTURES}/transactions`,
  `${FUTURES}/transfers/inr`,
  '/fapi/v1/wallet/funds',
  '/fapi/v1/wallet/futures/transfer',
  '/fapi/v1/price/kline',
  '/fapi/v1/price/mark-kline',
] as const;

const METHODS: Readonly<Record<string, readonly string[]>> = {
  leverage: ['GET', 'POST'],
  order: ['POST'],
  orders: ['GET', 'DELETE'],
  '{order}': ['GET', 'PATCH', 'DELETE'],
  riskorder: ['POST', 'PATCH'],
  'add-margin': ['POST'],
  partial: ['POST'],
  close: ['POST'],
  reverse: ['POST'],
  transfer: ['POST'],
  inr: ['POST'],
};
const methodsOf = (path: string): readonly string[] =>
  METHODS[path.split('/').at(-1) ?? ''] ?? ['GET'];

const target = fc.oneof(
  {
    weight: 14,
    arbitrary: fc
      .constantFrom(...PATHS)
      .chain((path) => fc.constantFrom(...methodsOf(path)).map((method) => ({ method, path }))),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'x'),
      path: fc.oneof(
        fc.constantFrom(...PATHS),
        fc.constantFrom(
          '/',
          '',
          '//',
          '/fapi',
          '/fapi/v1/',
          `${FUTURES}/%zz`,
          `${FUTURES}/%00/order`,
        ),
        fc.webPath(),
      ),
    }),
  },
);

const QUERY_KEYS = [
  'is_symbol',
  'trade_currency',
  'currency',
  'symbol',
  'id',
  'limit',
  'offset',
  'order_id',
  'client_order_id',
  'ext_margin',
  'type',
  'status',
  'sort',
  'order',
  'sort_by',
  'sort_order',
  'assets',
  'aggregation',
  'start_time',
  'end_time',
] as const;

const KLINES =
  'assets=btc/usdt,sol%2Fusdt&aggregation=1h&start_time=1746360000&end_time=1746403200';

const queryPair = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'is_symbol',
      'symbol=BTCUSDT',
      'symbol=SOLUSDT',
      'trade_currency=INR',
      'currency=INR',
      'client_order_id=id-1',
      'limit=3',
      'offset=1',
      'ext_margin=2',
      'assets=btc/usdt,eth%2Fusdt',
      'aggregation=1h',
      'start_time=1746360000',
      'end_time=1746403200',
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...QUERY_KEYS),
        fc.oneof(
          fc.webQueryParameters(),
          fc.constantFrom('%', '%zz', 'NaN', '-1', '1e9', '9'.repeat(400), ''),
        ),
      )
      .map(([key, value]) => `${key}=${value}`),
  },
);

const headers = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ 'x-authentication': SECRET }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'x-authentication': SECRET, 'content-type': 'text/xml' },
      { 'x-authentication': SECRET, 'content-type': 'application/json' },
      { 'x-authentication': '' },
      { 'x-authentication': `${SECRET}, ${SECRET}` },
      {},
    ),
  },
);

const request = target.chain((chosen) =>
  fc.record({
    kind: fc.constant('request' as const),
    target: fc.constant(chosen),
    query: fc.oneof(
      { weight: 3, arbitrary: fc.constant('is_symbol&symbol=BTCUSDT') },
      { weight: 1, arbitrary: fc.constant(KLINES) },
      { weight: 1, arbitrary: fc.constant('client_order_id=rest-USDT') },
      {
        weight: 4,
        arbitrary: fc.array(queryPair, { maxLength: 4 }).map((pairs) => pairs.join('&')),
      },
    ),
    body: bodyFor(chosen.path),
    headers,
    /** Number of the order and position. */
    pick: fc.nat(30),
  }),
);

/** Changes of time and price between requests. */
const world = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(20, 20, 1_000) }),
  fc.record({
    kind: fc.constant('price' as const),
    price: fc.constantFrom('60000', '61500', '57500', '50000', '45000', '66000'),
  }),
);

export const step = fc.oneof({ weight: 9, arbitrary: request }, { weight: 1, arbitrary: world });
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
export type Request = Extract<Step, { readonly kind: 'request' }>;
