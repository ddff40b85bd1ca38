import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedFromText, type Fixed } from '../../core/fixed/fixed.js';
import type { Outcome, VenueRequest } from '../../core/request.js';
import { apiAnsweredBy, failure, success } from '../../../test/support/rigs/api-rig.js';
import { GOLDEN } from '../../../test/fixtures/golden-responses.js';
import type { FuturesApi } from './futures-api.js';
import { frameFromText, subscriptionListOf } from './wire/wire-stream.js';
import { candleFromPush, markCandleFromPush, tickerFromPush } from './wire/wire-market.js';
import { TradingClient } from './trading-client.js';

const f = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
const BTC = { symbol: 'BTCUSDT' };
const TERMS = {
  ...BTC,
  currency: 'USDT',
  side: 'buy',
  type: 'market',
  quantity: f<'quantity'>('1'),
  reduceOnly: false,
} as const;
const SPAN = { symbols: ['BTCUSDT'], interval: '1m', fromMs: 1_000, toMs: 2_000 } as const;

const CALLS: Readonly<Record<keyof FuturesApi, (api: FuturesApi) => Promise<Outcome<unknown>>>> = {
  ping: (api) => api.ping(),
  spotWallet: (api) => api.spotWallet('USDT'),
  futuresWallet: (api) => api.futuresWallet('USDT'),
  transferUsdt: (api) => api.transferUsdt('deposit', f<'USDT'>('1')),
  transferInr: (api) => api.transferInr('deposit', f<'INR'>('1')),
  transactions: (api) => api.transactions('INR'),
  assets: (api) => api.assets(),
  asset: (api) => api.asset(BTC),
  leverage: (api) => api.leverage(BTC, 'USDT'),
  setLeverage: (api) => api.setLeverage(BTC, 'USDT', f('1')),
  placeOrderV1: (api) => api.placeOrderV1({ terms: TERMS, leverage: f('1'), orderPrice: f('1') }),
  placeOrder: (api) => api.placeOrder({ terms: TERMS, clientOrderId: 'ab-1' }),
  openOrders: (api) => api.openOrders('USDT'),
  orderHistory: (api) => api.orderHistory('INR'),
  orderById: (api) => api.orderById('o-1'),
  orderDetail: (api) => api.orderDetail({ clientOrderId: 'ab-1' }),
  executionReport: (api) => api.executionReport('o-1'),
  amendOrder: (api) => api.amendOrder('o-1', { price: f('1'), quantity: f('1') }),
  cancelOrder: (api) => api.cancelOrder({ orderId: 'o-1' }),
  positions: (api) => api.positions('USDT'),
  positionHistory: (api) => api.positionHistory('USDT'),
  setRiskOrder: (api) => api.setRiskOrder('p-1', { stopLoss: { price: f('1') } }),
  editRiskOrder: (api) =>
    api.editRiskOrder('p-1', { takeProfit: { price: f('1'), order: { orderId: 'o-1' } } }),
  addMargin: (api) => api.addMargin('p-1', f<'USDT'>('1')),
  closePartially: (api) => api.closePartially('p-1', { type: 'market', quantity: f('1') }),
  closePosition: (api) => api.closePosition('p-1'),
  reversePosition: (api) => api.reversePosition('p-1'),
  liquidationPrice: (api) => api.liquidationPrice('p-1'),
  feeHistory: (api) => api.feeHistory('INR'),
  klines: (api) => api.klines(SPAN),
  markKlines: (api) => api.markKlines(SPAN),
};
const NAMES = Object.keys(CALLS) as (keyof FuturesApi)[];

/** JSON with keys and texts of the interface, so that it resembles real answers. */
const WORDS = Object.values(GOLDEN).flatMap(({ body }) => body.match(/[\w-]+/g) ?? []);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 'OK', 'NaN', '1e400', '__proto__', ...WORDS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.string(),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie('json'), { maxKeys: 12 }),
  ),
}));

/** A golden answer with one part malformed. */
const bent = fc
  .tuple(fc.constantFrom(...Object.values(GOLDEN)), fc.nat(), leaf)
  .map(([{ body }, at, value]) => {
    const tokens = body.match(/"(?:[^"\\]|\\.)*"|[\d.-]+|true|false|null|./g) ?? [];
    if (tokens.length > 0) tokens[at % tokens.length] = JSON.stringify(value);
    return tokens.join('');
  });

const TEXTS = [
  'API rate limit exceeded',
  'Invalid trade currency',
  'order not found',
  'Position not found',
  'Forbidden',
  'insufficient balance',
  'something went wrong',
];

const body = fc.oneof(
  json.map((data) => success(data)),
  json.map((errors) => JSON.stringify({ success: false, errors })),
  json.map((value) => JSON.stringify(value)),
  bent,
  fc.constantFrom(...TEXTS).map((text) => failure(text)),
  fc.string(),
  fc.constantFrom('', '<html></html>', '{', 'null', '[]', '"x"', '{"success":true}'),
);
const status = fc.constantFrom(200, 202, 204, 301, 400, 401, 403, 404, 409, 423, 429, 500, 502);

describe('any answer', () => {
  it('any answer is an outcome of every method, never a throw', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), status, body, async (name, code, text) => {
        const { api, sent } = apiAnsweredBy({ status: code, body: text });
        const outcome = await CALLS[name](api);
        seen.add(outcome.kind);
        if (outcome.kind === 'yes') expect(code).toBeLessThan(300);
        if (outcome.kind === 'no') expect([400, 403, 404, 409, 423, 429]).toContain(code);
        expect(sent).toHaveLength(1);
      }),
      { numRuns: 3_000 },
    );
    expect(seen).toEqual(new Set(['yes', 'no', 'unknown']));
  });

  it('any answer is a reply to every request of the engine, never a throw', async () => {
    const requests: readonly VenueRequest[] = [
      { kind: 'place', clientOrderId: 'ab-1', terms: TERMS },
      { kind: 'cancel', order: { clientOrderId: 'ab-1' } },
      { kind: 'find-order', order: { clientOrderId: 'ab-1' } },
      { kind: 'read-leverage', symbol: 'BTCUSDT', currency: 'USDT' },
      { kind: 'set-leverage', symbol: 'BTCUSDT', currency: 'USDT', leverage: f('1') },
      { kind: 'read-open-orders', currency: 'USDT' },
      { kind: 'read-order-history', currency: 'INR', limit: 20 },
      { kind: 'read-positions', currency: 'USDT' },
      { kind: 'read-closes', currency: 'USDT', limit: 20 },
      { kind: 'read-wallet', currency: 'INR' },
      { kind: 'read-spot-wallet', currency: 'INR' },
      { kind: 'read-instrument', symbol: 'BTCUSDT' },
      { kind: 'read-transfers', currency: 'USDT', limit: 20 },
      { kind: 'amend', orderId: 'o-1', price: f('1'), quantity: f('1') },
      {
        kind: 'set-leg',
        positionId: 'p-1',
        slot: 'stopLoss',
        price: f('1'),
        clientOrderId: 'ab-1',
      },
      { kind: 'move-leg', positionId: 'p-1', slot: 'takeProfit', price: f('1'), orderId: 'o-1' },
      { kind: 'change-margin', positionId: 'p-1', change: f<'USDT'>('1') },
      { kind: 'transfer', currency: 'INR', direction: 'deposit', amount: f<'INR'>('1') },
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...requests), status, body, async (request, code, text) => {
        const { api } = apiAnsweredBy({ status: code, body: text });
        const reply = await new TradingClient({ api, limits: { listRows: 500 } }).send(request);
        expect(reply.to).toBe(request.kind);
        if (reply.outcome.kind === 'no') expect(code).not.toBe(403);
      }),
      { numRuns: 1_000 },
    );
  });

  it('any frame of the stream is read or dropped, never a throw', () => {
    fc.assert(
      fc.property(json, (value) => {
        frameFromText(JSON.stringify(value));
        subscriptionListOf(value);
        candleFromPush(value);
        markCandleFromPush(value);
        tickerFromPush(value);
      }),
      { numRuns: 2_000 },
    );
  });
});
