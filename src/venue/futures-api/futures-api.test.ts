import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../core/assert.js';
import { fixedFromText, type Fixed } from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { Outcome, Priority } from '../../core/request.js';
import { apiAnsweredBy, CANARY, success } from '../../../test/support/rigs/api-rig.js';
import type { FuturesApi } from './futures-api.js';
import { OPERATIONS, type ApiOperation } from './http/operations.js';

const f = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
const money = (text: string) => f<'USDT'>(text);

const TERMS: OrderTerms = {
  symbol: 'BTCUSDT',
  currency: 'INR',
  side: 'sell',
  type: 'limit',
  quantity: f('0.001'),
  price: f('60000.5'),
  reduceOnly: false,
  stopLoss: f('61000'),
};
const MARKET: OrderTerms = {
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'buy',
  type: 'market',
  quantity: f('0.002'),
  reduceOnly: true,
};
const BTC = { symbol: 'BTCUSDT' };
const UUID = { assetId: '0190-a' };

interface Case {
  readonly name: ApiOperation;
  readonly call: (api: FuturesApi) => Promise<Outcome<unknown>>;
  /** Method, path and query, body. */
  readonly wire: readonly [method: string, path: string, body?: string];
}

const CASES: readonly Case[] = [
  { name: 'ping', call: (api) => api.ping(), wire: ['GET', '/fapi/v1/futures/ping'] },
  {
    name: 'spotWallet',
    call: (api) => api.spotWallet('INR'),
    wire: ['GET', '/fapi/v1/wallet/funds?currency=INR'],
  },
  {
    name: 'futuresWallet',
    call: (api) => api.futuresWallet('INR'),
    wire: ['GET', '/fapi/v1/futures/funds?trade_currency=INR'],
  },
  {
    name: 'transferUsdt',
    call: (api) => api.transferUsdt('deposit', money('12.5')),
    wire: [
      'POST',
      '/fapi/v1/wallet/futures/transfer',
      '{"from_wallet_type":"SPOT","to_wallet_type":"FUTURES","amount":"12.5"}',
    ],
  },
  {
    name: 'transferInr',
    call: (api) => api.transferInr('withdraw', money('0.00000001')),
    wire: [
      'POST',
      '/fapi/v1/futures/transfers/inr',
      '{"from_wallet_type":"FUTURES","to_wallet_type":"SPOT","amount":"0.00000001"}',
    ],
  },
  {
    name: 'transactions',
    call: (api) => api.transactions('USDT'),
    wire: ['GET', '/fapi/v1/futures/transactions?trade_currency=USDT'],
  },
  {
    name: 'transactions',
    call: (api) =>
      api.transactions('INR', {
        direction: 'deposit',
        status: 'completed',
        sortBy: 'updated_at',
        sortOrder: 'asc',
        limit: 5,
      }),
    wire: [
      'GET',
      '/fapi/v1/futures/transactions?trade_currency=INR&type=DEPOSIT&status=completed' +
        '&sort_by=updated_at&sort_order=asc&limit=5',
    ],
  },
  { name: 'assets', call: (api) => api.assets(), wire: ['GET', '/fapi/v1/futures'] },
  {
    name: 'assets',
    call: (api) => api.assets({ sort: 'volume', order: 'desc', limit: 10, offset: 20 }),
    wire: ['GET', '/fapi/v1/futures?sort=volume&order=desc&limit=10&offset=20'],
  },
  {
    name: 'asset',
    call: (api) => api.asset(BTC),
    wire: ['GET', '/fapi/v1/futures/BTCUSDT?is_symbol=true'],
  },
  { name: 'asset', call: (api) => api.asset(UUID), wire: ['GET', '/fapi/v1/futures/0190-a'] },
  {
    name: 'leverage',
    call: (api) => api.leverage(UUID, 'INR'),
    wire: ['GET', '/fapi/v1/futures/0190-a/leverage?trade_currency=INR'],
  },
  {
    name: 'setLeverage',
    call: (api) => api.setLeverage(BTC, 'INR', f('2.5')),
    wire: [
      'POST',
      '/fapi/v1/futures/BTCUSDT/leverage?is_symbol=true',
      '{"margin_type":"ISOLATED","leverage":"2.5","trade_currency":"INR"}',
    ],
  },
  {
    name: 'placeOrderV1',
    call: (api) => api.placeOrderV1({ terms: TERMS, leverage: f('5'), orderPrice: f('60000.5') }),
    wire: [
      'POST',
      '/fapi/v1/futures/BTCUSDT/order?is_symbol=true',
      '{"leverage":"5","quantity":"0.001","order_price":"60000.5","order_type":"SHORT",' +
        '"trigger_type":"LIMIT","is_takeprofit":false,"is_stoploss":true,' +
        '"stoploss_price":"61000","reduce_only":false,"trade_currency":"INR"}',
    ],
  },
  {
    name: 'placeOrderV1',
    call: (api) =>
      api.placeOrderV1({ terms: MARKET, leverage: f('5'), orderPrice: f('1'), asset: UUID }),
    wire: [
      'POST',
      '/fapi/v1/futures/0190-a/order',
      '{"leverage":"5","quantity":"0.002","order_price":"1","order_type":"LONG",' +
        '"trigger_type":"MARKET","is_takeprofit":false,"is_stoploss":false,' +
        '"reduce_only":true,"trade_currency":"USDT"}',
    ],
  },
  {
    name: 'placeOrder',
    call: (api) => api.placeOrder({ terms: TERMS, clientOrderId: 'ab-1' }),
    wire: [
      'POST',
      '/fapi/v2/futures/order?symbol=BTCUSDT',
      '{"trigger_type":"LIMIT","order_type":"SHORT","quantity":"0.001","order_price":"60000.5",' +
        '"is_stoploss":true,"stoploss_price":"61000","is_takeprofit":false,' +
        '"reduce_only":false,"trade_currency":"INR","client_order_id":"ab-1"}',
    ],
  },
  {
    name: 'placeOrder',
    call: (api) => api.placeOrder({ terms: MARKET, asset: UUID }),
    wire: [
      'POST',
      '/fapi/v2/futures/order?id=0190-a',
      '{"trigger_type":"MARKET","order_type":"LONG","quantity":"0.002","is_stoploss":false,' +
        '"is_takeprofit":false,"reduce_only":true,"trade_currency":"USDT"}',
    ],
  },
  {
    name: 'openOrders',
    call: (api) => api.openOrders('USDT', { limit: 50, offset: 1_782_986_400_000 }),
    wire: ['GET', '/fapi/v1/futures/orders?trade_currency=USDT&limit=50&offset=1782986400000'],
  },
  {
    name: 'orderHistory',
    call: (api) => api.orderHistory('INR'),
    wire: ['GET', '/fapi/v1/futures/orders/history?trade_currency=INR'],
  },
  {
    name: 'orderById',
    call: (api) => api.orderById('o-1'),
    wire: ['GET', '/fapi/v1/futures/orders/o-1'],
  },
  {
    name: 'orderDetail',
    call: (api) => api.orderDetail({ orderId: 'o-1' }),
    wire: ['GET', '/fapi/v1/futures/orders/detail?order_id=o-1'],
  },
  {
    name: 'orderDetail',
    call: (api) => api.orderDetail({ orderId: 'o-1', clientOrderId: 'ab-1' }),
    wire: ['GET', '/fapi/v1/futures/orders/detail?order_id=o-1&client_order_id=ab-1'],
  },
  {
    name: 'executionReport',
    call: (api) => api.executionReport('o-1'),
    wire: ['GET', '/fapi/v1/futures/orders/o-1/execution-report'],
  },
  {
    name: 'amendOrder',
    call: (api) => api.amendOrder('o-1', { price: f('60001'), quantity: f('0.002') }),
    wire: ['PATCH', '/fapi/v1/futures/orders/o-1', '{"order_price":"60001","quantity":"0.002"}'],
  },
  {
    name: 'cancelOrder',
    call: (api) => api.cancelOrder({ orderId: 'o/1' }),
    wire: ['DELETE', '/fapi/v1/futures/orders/o%2F1'],
  },
  {
    name: 'cancelOrderByClientId',
    call: (api) => api.cancelOrder({ clientOrderId: 'ab-1' }),
    wire: ['DELETE', '/fapi/v1/futures/orders?client_order_id=ab-1'],
  },
  {
    name: 'positions',
    call: (api) => api.positions('INR'),
    wire: ['GET', '/fapi/v1/futures/positions?trade_currency=INR'],
  },
  {
    name: 'positionHistory',
    call: (api) => api.positionHistory('USDT', { limit: 500 }),
    wire: ['GET', '/fapi/v1/futures/positions/history?trade_currency=USDT&limit=500'],
  },
  {
    name: 'setRiskOrder',
    call: (api) =>
      api.setRiskOrder('p-1', { stopLoss: { price: f('59000'), clientOrderId: 's-1' } }),
    wire: [
      'POST',
      '/fapi/v1/futures/positions/p-1/riskorder',
      '{"order_source":"API","is_stoploss":true,"stoploss_price":"59000",' +
        '"stoploss_client_order_id":"s-1","is_takeprofit":false}',
    ],
  },
  {
    name: 'editRiskOrder',
    call: (api) =>
      api.editRiskOrder('p-1', {
        stopLoss: { price: f('59000'), order: { orderId: 'o-9' } },
        takeProfit: { price: f('70000.1'), order: { clientOrderId: 't-1' } },
      }),
    wire: [
      'PATCH',
      '/fapi/v1/futures/positions/p-1/riskorder',
      '{"is_stoploss":true,"stoploss_price":"59000","stoploss_order_id":"o-9",' +
        '"is_takeprofit":true,"takeprofit_price":"70000.1","takeprofit_client_order_id":"t-1"}',
    ],
  },
  {
    name: 'addMargin',
    call: (api) => api.addMargin('p-1', money('-1.5')),
    wire: ['POST', '/fapi/v1/futures/positions/p-1/add-margin', '{"margin":"-1.5"}'],
  },
  {
    name: 'closePartially',
    call: (api) =>
      api.closePartially('p-1', {
        type: 'limit',
        quantity: f('20'),
        price: f('0.61'),
        clientOrderId: 'c-1',
      }),
    wire: [
      'POST',
      '/fapi/v1/futures/positions/p-1/close/partial',
      '{"order_type":"LIMIT","quantity":"20","limit_price":"0.61","client_order_id":"c-1"}',
    ],
  },
  {
    name: 'closePosition',
    call: (api) => api.closePosition('p-1'),
    wire: ['POST', '/fapi/v1/futures/positions/p-1/close'],
  },
  {
    name: 'reversePosition',
    call: (api) => api.reversePosition('p-1'),
    wire: ['POST', '/fapi/v1/futures/positions/p-1/reverse'],
  },
  {
    name: 'liquidationPrice',
    call: (api) => api.liquidationPrice('p-1', money('1')),
    wire: ['GET', '/fapi/v1/futures/positions/p-1/liq-price?ext_margin=1'],
  },
  {
    name: 'liquidationPrice',
    call: (api) => api.liquidationPrice('p-1'),
    wire: ['GET', '/fapi/v1/futures/positions/p-1/liq-price'],
  },
  {
    name: 'feeHistory',
    call: (api) => api.feeHistory('INR', { limit: 100, offset: 200 }),
    wire: ['GET', '/fapi/v1/futures/fee/history?trade_currency=INR&limit=100&offset=200'],
  },
  {
    name: 'klines',
    call: (api) =>
      api.klines({
        symbols: ['BTCUSDT', 'ethusdt'],
        interval: '15m',
        fromMs: 1_680_312_600_500,
        toMs: 1_680_313_500_999,
      }),
    wire: [
      'GET',
      '/fapi/v1/price/kline?assets=BTC%2FUSDT%2CETH%2FUSDT&aggregation=15t' +
        '&start_time=1680312601&end_time=1680313500',
    ],
  },
  {
    name: 'markKlines',
    call: (api) =>
      api.markKlines({ symbols: ['BTCUSDT'], interval: '1M', fromMs: 1_000, toMs: 2_000 }),
    wire: [
      'GET',
      '/fapi/v1/price/mark-kline?assets=BTC%2FUSDT&aggregation=1mth&start_time=1&end_time=2',
    ],
  },
];

describe('the interface', () => {
  it('every endpoint has a case in this file', () => {
    expect(new Set(CASES.map(({ name }) => name))).toEqual(new Set(Object.keys(OPERATIONS)));
  });

  it.each(CASES)('$name is one request: $wire', async ({ name, call, wire }) => {
    const { api, sent } = apiAnsweredBy({ body: '' });
    await call(api);
    const [method, path, body] = wire;
    const isPublic = path.startsWith('/fapi/v1/price/');
    expect(sent).toEqual([
      {
        method,
        url: `https://api.example.com${path}`,
        headers: {
          ...(isPublic ? {} : { 'x-authentication': CANARY }),
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        timeoutMs: method === 'GET' ? 5_000 : 10_000,
        ...(body === undefined ? {} : { body }),
      },
    ]);
    expect(OPERATIONS[name].method).toBe(method);
    const template = OPERATIONS[name].path.replace(/\{[^}]*\}/g, '[^/]+');
    expect(path).toMatch(new RegExp(`^${template}(\\?|$)`));
  });

  it.each(CASES)('$name sends the same bytes for the same call', async ({ call }) => {
    const { api, sent, time } = apiAnsweredBy({ body: '' });
    const calls = Promise.all([call(api), call(api)]);
    await time.advance(2_000);
    await calls;
    expect(sent[1]).toEqual(sent[0]);
  });

  it.each<[string, (api: FuturesApi) => Promise<unknown>]>([
    ['an empty client id', (api) => api.placeOrder({ terms: MARKET, clientOrderId: '' })],
    ['an order of nothing', (api) => api.placeOrder({ terms: { ...MARKET, quantity: f('0') } })],
    [
      'two limit prices',
      (api) => api.placeOrderV1({ terms: TERMS, leverage: f('1'), orderPrice: f('1') }),
    ],
    ['an empty order id', (api) => api.orderById('')],
    ['an order id that climbs', (api) => api.cancelOrder({ orderId: '..' })],
    ['a transfer of nothing', (api) => api.transferUsdt('deposit', money('0'))],
    ['a negative transfer', (api) => api.transferInr('deposit', money('-1'))],
    ['no protective order', (api) => api.setRiskOrder('p-1', {})],
    ['a protective order at 0', (api) => api.setRiskOrder('p-1', { stopLoss: { price: f('0') } })],
    ['no change of a protective order', (api) => api.editRiskOrder('p-1', {})],
    ['no change of margin', (api) => api.addMargin('p-1', money('0'))],
    [
      'a market order with a price',
      (api) => api.closePartially('p-1', { type: 'market', quantity: f('1'), price: f('1') }),
    ],
  ])('a call with %s is never sent', async (_, call) => {
    const { api, sent } = apiAnsweredBy({ body: '' });
    await expect(call(api)).rejects.toThrow(AssertionError);
    expect(sent).toEqual([]);
  });
});

describe('the permit of a call', () => {
  it('a call waits for the rate limits of its own tiers', async () => {
    const { api, sent, time } = apiAnsweredBy({ body: success(null) });
    for (let i = 0; i < 3; i += 1) void api.transferUsdt('deposit', money('1'));
    void api.positions('USDT');
    await time.advance(0);
    // Wallet: 2 a second, less the margin for safety and the reserve.
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'GET']);
    await time.advance(2_600);
    expect(sent).toHaveLength(4);
  });

  it('a cancel goes before a place, and a place before a poll', async () => {
    const { api, sent, time } = apiAnsweredBy({ body: success(null) });
    for (let i = 0; i < 30; i += 1) void api.leverage(BTC, 'USDT');
    void api.placeOrderV1({ terms: MARKET, leverage: f('1'), orderPrice: f('1') });
    void api.cancelOrder({ orderId: 'o-1' });
    await time.advance(3_000);
    const methods = sent.map(({ method }) => method);
    expect(methods.indexOf('DELETE')).toBeLessThan(methods.indexOf('POST'));
    expect(methods.indexOf('POST')).toBeLessThan(methods.lastIndexOf('GET'));
    expect(methods.slice(0, 8)).toContain('DELETE');
  });

  it.each<[Priority | undefined, number]>([
    [undefined, 6],
    ['kill', 10],
  ])('calls can be given another priority: %s', async (priority, atOnce) => {
    const { api, sent, time } = apiAnsweredBy(
      { body: success(null) },
      priority === undefined ? {} : { priority },
    );
    for (let i = 0; i < 20; i += 1) void api.positions('USDT');
    await time.advance(0);
    expect(sent).toHaveLength(atOnce);
  });
});
