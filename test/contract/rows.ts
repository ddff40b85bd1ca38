/** One row of the documents. Cases are numbered by row. */
export interface Row {
  readonly id: string;
  /** Its place: "interface, Order create (v2), row 4". */
  readonly source: string;
  /** Its statement, shortened. */
  readonly statement: string;
}

export interface EndpointRow extends Row {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'WebSocket';
  readonly path: string;
}

type Written = readonly string[];

const V1 = '/fapi/v1';
const ORDERS = '/futures/orders';
const POSITION = '/futures/positions/{position_id}';

const ENDPOINTS: readonly (readonly [
  method: EndpointRow['method'],
  path: string,
  purpose: string,
])[] = [
  ['GET', '/wallet/funds', 'Spot wallet balance'],
  ['POST', '/wallet/futures/transfer', 'USDT transfer'],
  ['POST', '/futures/transfers/inr', 'INR transfer'],
  ['GET', '/futures/funds', 'Futures wallet balance'],
  ['GET', '/futures/transactions', 'Wallet transactions'],
  ['GET', '/futures', 'List assets'],
  ['GET', '/futures/{asset_id}', 'Asset detail'],
  ['GET', '/futures/{asset_id}/leverage', 'Read leverage'],
  ['POST', '/futures/{asset_id}/leverage', 'Set leverage'],
  ['POST', '/futures/{asset_id}/order', 'Place order (v1)'],
  ['POST', '/fapi/v2/futures/order', 'Place order (v2)'],
  ['GET', ORDERS, 'Open orders'],
  ['GET', `${ORDERS}/history`, 'Order history'],
  ['GET', `${ORDERS}/{order_id}`, 'Order by id (deprecated)'],
  ['GET', `${ORDERS}/detail`, 'Order by either id'],
  ['GET', `${ORDERS}/{order_id}/execution-report`, 'Fills'],
  ['PATCH', `${ORDERS}/{order_id}`, 'Amend order'],
  ['DELETE', `${ORDERS}/{order_id}`, 'Cancel order'],
  ['DELETE', ORDERS, 'Cancel by client_order_id'],
  ['GET', '/futures/positions', 'Open positions'],
  ['GET', '/futures/positions/history', 'Closes'],
  ['POST', `${POSITION}/riskorder`, 'Set SL/TP'],
  ['PATCH', `${POSITION}/riskorder`, 'Edit SL/TP'],
  ['POST', `${POSITION}/add-margin`, 'Add or reduce margin'],
  ['POST', `${POSITION}/close/partial`, 'Partial close'],
  ['POST', `${POSITION}/close`, 'Close (square off)'],
  ['POST', `${POSITION}/reverse`, 'Reverse position'],
  ['GET', `${POSITION}/liq-price`, 'Liquidation price'],
  ['GET', '/futures/fee/history', 'Fee history'],
  ['GET', '/fapi/v1/price/kline', 'Klines (public)'],
  ['GET', '/fapi/v1/price/mark-kline', 'Mark klines (public)'],
  ['WebSocket', '/fapi/v1/price/ws/linear', 'Live streams'],
];

const numbered = (letter: string, at: number): string =>
  `${letter}${String(at + 1).padStart(2, '0')}`;

export const ENDPOINT_ROWS: readonly EndpointRow[] = [
  ...ENDPOINTS.map(([method, path, statement], index) => ({
    id: numbered('R', index),
    source: `interface, Endpoints, row ${index + 1}`,
    statement,
    method,
    path: path.startsWith('/fapi/') ? path : `${V1}${path}`,
  })),
  {
    id: 'R33',
    source: 'supplement, part 3a',
    statement: 'Ping, which every public client calls first',
    method: 'GET',
    path: `${V1}/futures/ping`,
  },
];

const table = (letter: string, source: string, rows: Written): readonly Row[] =>
  rows.map((statement, index) => ({
    id: numbered(letter, index),
    source: `${source}, row ${index + 1}`,
    statement,
  }));

const points = (letter: string, rows: readonly (readonly [source: string, statement: string])[]) =>
  rows.map(([source, statement], index): Row => ({
    id: numbered(letter, index),
    source,
    statement,
  }));

const ORDER_V1_ERRORS = table('E1', 'interface, Order create (v1)', [
  '400 Params error',
  '400 invalid trigger type',
  '400 invalid order type',
  '400 order price out of permissible range',
  '400 quantity not a multiple of the quantity step',
  '400 leverage out of permissible range',
  '400 insufficient balance',
  '400 Invalid trade currency (code 400)',
]);

const ORDER_V2_ERRORS = table('E2', 'interface, Order create (v2)', [
  '400 invalid trade_currency',
  '400 trigger_type must be MARKET or LIMIT',
  '400 order_type must be LONG or SHORT',
  '400 order_price must be > 0 for LIMIT orders',
  '400 quantity not a multiple of the quantity step',
  '400 order quantity out of permissible range',
  '400 price not a multiple of the price step',
  '400 order price out of permissible range',
  '400 order value less than minimum required value',
  '400 invalid stop loss price',
  '400 invalid takeprofit price',
  '400 leverage not found',
  '400 insufficient balance',
  '400 reduce only order in new position',
  '400 reduce only order on same side of the position',
  '400 Params error',
  '400 This trading pair is being delisted',
  '404 future asset not found',
  '409 client order id already exists',
  '400 invalid order identifier',
  '423 action not allowed: another user action in progress',
  '500 something went wrong',
]);

const TRADING_ERRORS = table('E3', 'interface, Other trading errors', [
  'Transfers: 400 insufficient balance (code null)',
  'Transfers: 400 From and To wallet types must be different (code null)',
  'Amend: 400 order quantity out of permissible range (price alone)',
  'Order by id, detail: 404 order not found',
  'Detail: 400 order id or client order id is required',
  'Leverage set: 400 leverage out of permissible range; Invalid trade currency',
  'Leverage get: 404 leverage not found',
  'Asset detail: 404 Asset not found',
  'SL/TP, add-margin: 404 Position not found',
  'SL/TP: 400 Position is not in OPEN state',
  'Set SL/TP: 400 Risk order creation failed',
  'Edit SL/TP: 400 risk order id missing',
  'Add/reduce margin: 400 Insufficient funds',
  'Partial close: 400 position is not open',
  'Any currency-taking request: 400 Invalid trade currency',
  'Any trading endpoint over its limit: 429',
]);

const MARKET_ERRORS = table('E4', 'interface, Market-data REST errors', [
  '400 assets are required',
  '400 allowed assets size is 25',
  '400 aggregation not supported',
  '400 start and end time should be greater than 0',
  '400 end time should be greater than start time',
  '400 invalid assets',
  '404 asset not found',
  '429 Rate limit exceeded',
  '500 something went wrong',
]);

const STREAM_ERRORS = table('E5', 'supplement, part 1.4', [
  '400 invalid JSON',
  '400 unknown method',
  '400 invalid stream name: <x>',
  '400 not subscribed: <x>',
  '429 subscription limit reached',
]);

const STATES = [
  ...table('S', 'interface, States and transitions', [
    'Place: order CREATED, position INITIATED, position_id at once, 202',
    'Fill: position OPEN, listed; margin moves to locked_amount',
    'Cancel before any fill: CANCELLED; the position_id is never listed',
    'Cancel of a remainder: status can remain PARTIAL_FILLED',
    'Another order on the asset and currency: same position_id, one row',
    'Set SL/TP: two orders; ids are read from open positions',
    'Partial close: reduced; PARTIAL row with the close order_id',
    'Reverse: other side, twice the quantity, CLOSED row, SL/TP SYSTEM_CANCELLED',
    'Close: order CREATED, then a CLOSED row',
    'Stop or liquidation: CLOSED or LIQUIDATED row with the triggering order',
    'SL/TP, margin, partial close of a position not OPEN: 400, unchanged',
  ]),
  {
    id: 'S12',
    source: 'interface, States and transitions, Limitations',
    statement: 'SYSTEM_CANCELLED SL/TP: by id yes, in history no',
  },
];

const CURRENCY = table('C', 'interface, Margin currency model, rule', [
  'USDT and INR alone',
  'GET /wallet/funds with trade_currency=INR: zeros',
  'Prices are USDT, quantity base',
  'Margin, PnL, fees and balances are in the wallet currency',
  'hedge_rate on orders, entry_ and exit_hedge_rate on positions',
  'No transfer between currencies',
  'Lists: one currency a call, USDT by default, tagged',
  'Leverage per (asset, currency)',
  'Operations on an order or position inherit its currency',
  'Omitted means USDT',
]);

const CLIENT_IDS = table('I', 'interface, client_order_id rules, rule', [
  'Unique on the account for all time',
  '409 whether or not the request matches; no second order',
  'Recovery: GET, then POST, then GET after a 409',
  'A place rejected before any order exists does not consume the id',
  'Format violations: 400 invalid order identifier',
]);

const LIMITS = points('L', [
  ['interface, Limits, Default tier', '10 a second'],
  ['interface, Limits, Default tier', '500 a minute'],
  ['interface, Limits, Default tier', '30,000 an hour'],
  ['interface, Limits, Core trading tier', '10 a second'],
  ['interface, Limits, Core trading tier', '500 a minute'],
  ['interface, Limits, Core trading tier', '30,000 an hour'],
  ['interface, Limits, Core trading tier', '720,000 a day'],
  ['interface, Limits, Wallet tier', '2 a second'],
  ['interface, Limits, Wallet tier', '50 a minute'],
  ['interface, Limits, Wallet tier', '3,000 an hour'],
  ['interface, Limits, Market data', '300 REST requests a minute'],
  ['interface, Limits, Market data', '15 active subscriptions a connection'],
  ['interface, Limits, Market data', '10 new connections a minute'],
  ['interface, Limits, Market data', 'idle connections end after 40 s'],
  ['interface, Limits, Market data', '25 symbols a kline request'],
  ['interface, Limits, Market data', '1440 candles an asset and request'],
  ['interface, Limits, Other constants', 'client_order_id: 1 to 64 characters'],
  ['interface, Limits, Other constants', 'lists: limit 20, fee history offset 0'],
  ['interface, Limits', 'the currency does not change which limit applies'],
]);

const STREAM = 'supplement, part 1';
const STREAMS = points('W', [
  ['interface, Events', 'kline@1s'],
  ['interface, Events', 'kline@1m'],
  ['interface, Events', 'markKline@1s'],
  ['interface, Events', 'markKline@1m'],
  ['interface, Events', 'ticker@1s'],
  ['interface, Events', 'ticker@5s'],
  [`${STREAM}.3`, 'SUBSCRIBE: acknowledged before any push'],
  [`${STREAM}.3`, 'UNSUBSCRIBE'],
  [`${STREAM}.3`, 'LIST_SUBSCRIPTIONS'],
  [`${STREAM}.2`, 'all-or-nothing requests'],
  [`${STREAM}.5`, 'keepalive: frames, JSON PING, bare text'],
  ['interface, Events', 'subscriptions belong to the connection'],
  ['interface, Events', 'error object {code, msg}; the connection stays open'],
  [`${STREAM}.7`, 'ticker assets: added, removed, counted once'],
  [`${STREAM}.7`, 'unknown and upper-case symbols'],
  [`${STREAM}.1`, 'sibling paths are not served'],
]);

const FIELDS = points('F', [
  ['interface, Asset', 'list items and detail'],
  ['interface, Spot wallet balance', 'JSON numbers, same shape in INR'],
  ['interface, Futures wallet balance', 'strings and a flag'],
  ['interface, Futures transaction', 'transfer record'],
  ['interface, Leverage setting', 'margin_type, leverage, collateral_currency_id'],
  ['interface, Order', 'order detail and order by id'],
  ['interface, Order', 'order history item'],
  ['supplement, part 6', 'open orders item, stops and targets among them'],
  ['interface, Execution report', 'order fields and executions'],
  ['interface, Open position', 'strings; stoploss and takeprofit objects'],
  ['interface, Position history row', 'one row per close'],
  ['interface, Fee record', 'TRANSACTION, with GST in INR'],
  ['interface, Fee record', 'FUNDING'],
  ['interface, Kline candles', 'six and five numbers'],
  ['interface, Endpoints', 'answers of the two places'],
  ['interface, Versioning', 'what releases removed is gone'],
]);

const LISTS = points('P', [
  ['interface, Other constants', '20 rows by default'],
  ['interface, Endpoints', 'limit'],
  ['interface, GET /futures/fee/history', 'offset counts records'],
  ['supplement, part 5', 'offset as an end time in ms'],
  ['supplement, part 5', 'newest first'],
  ['supplement, part 4', 'asset list: sort, order, offset, limit'],
  ['interface, GET /futures/transactions', 'type, status, sort_by, sort_order'],
]);

const BODIES = points('B', [
  ['supplement, part 9', 'numbers or strings'],
  ['supplement, part 7', 'JSON content type without a body'],
  ['supplement, part 2', '%2F and either case in assets'],
  ['interface, Endpoints', 'is_symbol counts by presence'],
  ['interface, Conventions', 'both envelopes'],
  ['interface, Conventions', 'malformed bodies: an envelope, nothing changed'],
  ['interface, Conventions', 'unknown fields and queries are ignored'],
  ['design, part 8', 'checks on place run in their written order'],
  ['supplement, part 12', 'fees, margins and liquidation prices follow the samples'],
]);

const ACCESS = points('A', [
  ['supplement, part 3', 'missing or wrong key: 401, code 3100, before routing'],
  ['interface, Authentication', 'market data takes no key'],
  ['supplement, part 3', 'unknown routes with a key: 404'],
  ['supplement, part 13', 'POST /wallet/funds answers like GET'],
]);

export const ROWS: readonly Row[] = [
  ...ENDPOINT_ROWS,
  ...ORDER_V1_ERRORS,
  ...ORDER_V2_ERRORS,
  ...TRADING_ERRORS,
  ...MARKET_ERRORS,
  ...STREAM_ERRORS,
  ...STATES,
  ...CURRENCY,
  ...CLIENT_IDS,
  ...LIMITS,
  ...STREAMS,
  ...FIELDS,
  ...LISTS,
  ...BODIES,
  ...ACCESS,
];
