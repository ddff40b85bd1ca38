import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../../core/assert.js';
import {
  negate,
  fixed,
  fixedFromText,
  textFromFixed,
  type Price,
  type Quantity,
} from '../../../core/fixed/fixed.js';
import type { OrderTerms } from '../../../core/order.js';
import {
  amendBody,
  leverageBody,
  marginBody,
  requireClientOrderId,
  partialCloseBody,
  placeBody,
  placeBodyV1,
  riskBody,
  riskChangeBody,
  transferBody,
} from './request-bodies.js';

const price = (text: string) => fixedFromText<'price'>(text);

const LIMIT: OrderTerms = {
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'buy',
  type: 'limit',
  quantity: fixedFromText('0.00000001'),
  price: price('60000.1'),
  reduceOnly: false,
  stopLoss: price('59000'),
};

const body = (terms: OrderTerms, clientOrderId = 'abc-1') => placeBody({ clientOrderId, terms });

describe('the body of a place', () => {
  it('the body has its keys in a fixed order, and decimals as plain strings without exponent', () => {
    expect(body(LIMIT)).toBe(
      '{"trigger_type":"LIMIT","order_type":"LONG","quantity":"0.00000001",' +
        '"order_price":"60000.1","is_stoploss":true,"stoploss_price":"59000",' +
        '"is_takeprofit":false,"reduce_only":false,"trade_currency":"USDT",' +
        '"client_order_id":"abc-1"}',
    );
  });

  it('the body of a market order has no price', () => {
    const { price: _price, stopLoss: _stop, ...rest } = LIMIT;
    const market: OrderTerms = { ...rest, type: 'market', side: 'sell', currency: 'INR' };
    expect(body({ ...market, reduceOnly: true })).toBe(
      '{"trigger_type":"MARKET","order_type":"SHORT","quantity":"0.00000001",' +
        '"is_stoploss":false,"is_takeprofit":false,"reduce_only":true,"trade_currency":"INR",' +
        '"client_order_id":"abc-1"}',
    );
  });

  it('the body depends only on the request, not on the order of its keys', () => {
    const reversed = Object.fromEntries(Object.entries(LIMIT).reverse()) as unknown as OrderTerms;
    expect(body(reversed)).toBe(body(LIMIT));
  });

  it('any quantity and price is printed exactly', () => {
    const scaled = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(scaled, scaled, (quantity, limit) => {
        const terms = {
          ...LIMIT,
          quantity: fixed(quantity) as Quantity,
          price: fixed(limit) as Price,
        };
        const read = JSON.parse(body(terms)) as Record<string, string>;
        expect(fixedFromText(read['quantity'] ?? '')).toBe(quantity);
        expect(read['order_price']).toBe(textFromFixed(terms.price));
      }),
    );
  });

  const { price: _price, ...withoutPrice } = LIMIT;
  it.each<[string, OrderTerms]>([
    ['no quantity', { ...LIMIT, quantity: fixed(0) as Quantity }],
    ['a negative quantity', { ...LIMIT, quantity: fixed(-1) as Quantity }],
    ['a limit order without a price', withoutPrice],
    ['a limit order at 0', { ...LIMIT, price: fixed(0) as Price }],
    ['a market order with a price', { ...LIMIT, type: 'market' }],
    ['a reducing order with a stop', { ...LIMIT, reduceOnly: true }],
    ['a stop at 0', { ...LIMIT, stopLoss: fixed(0) as Price }],
    ['a take profit below 0', { ...LIMIT, takeProfit: fixed(-1) as Price }],
  ])('the builder refuses %s', (_, terms) => {
    expect(() => body(terms)).toThrow(AssertionError);
  });

  it.each(['', ' ', 'a b', 'a/b', 'ü', 'x'.repeat(65), 'a\n'])(
    'the builder refuses the client order id %j',
    (id) => {
      expect(() => body(LIMIT, id)).toThrow(AssertionError);
      expect(() => requireClientOrderId(id)).toThrow(AssertionError);
    },
  );
});

describe('the body of a leverage setting', () => {
  it('the body has margin type and currency', () => {
    const leverage = fixedFromText<'ratio'>('2.5');
    expect(leverageBody(leverage, 'INR')).toBe(
      '{"margin_type":"ISOLATED","leverage":"2.5","trade_currency":"INR"}',
    );
  });
});

describe('every body', () => {
  const above0 = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const amount = above0.map((scaled) => fixed<'USDT'>(scaled));
  const limit = above0.map((scaled) => fixed<'price'>(scaled));
  const size = above0.map((scaled) => fixed<'quantity'>(scaled));
  const { stopLoss: _stop, ...plain } = LIMIT;
  const bodies = fc.oneof(
    fc.tuple(size, limit).map(([quantity, at]) => ({
      values: [quantity, at],
      text: amendBody({ price: at, quantity }),
    })),
    fc.tuple(amount, fc.boolean()).map(([value, adds]) => ({
      values: [adds ? value : negate(value)],
      text: marginBody(adds ? value : negate(value)),
    })),
    amount.map((value) => ({ values: [value], text: transferBody('withdraw', value) })),
    fc.tuple(limit, limit).map(([at, other]) => ({
      values: [at, other],
      text: riskBody({ stopLoss: { price: at }, takeProfit: { price: other } }),
    })),
    limit.map((at) => ({
      values: [at],
      text: riskChangeBody({ takeProfit: { price: at, order: { orderId: 'o-1' } } }),
    })),
    fc.tuple(size, limit).map(([quantity, at]) => ({
      values: [quantity, at],
      text: partialCloseBody({ type: 'limit', quantity, price: at }),
    })),
    fc.tuple(size, limit).map(([quantity, at]) => ({
      values: [quantity, at],
      text: placeBodyV1({
        terms: { ...plain, quantity, price: at },
        leverage: fixedFromText('1.5'),
        orderPrice: at,
      }),
    })),
  );

  it('any figure is printed exactly, as a string without exponent', () => {
    fc.assert(
      fc.property(bodies, ({ values, text }) => {
        const fields = Object.values(JSON.parse(text) as Record<string, unknown>);
        for (const value of values) expect(fields).toContain(textFromFixed(value));
        expect(fields.some((field) => typeof field === 'number')).toBe(false);
        expect(text).not.toMatch(/"-?[\d.]+e/i);
      }),
    );
  });
});

describe('a partial close', () => {
  const close = (type: 'limit' | 'market', at?: string) => () =>
    partialCloseBody({
      type,
      quantity: fixedFromText('0.1'),
      ...(at !== undefined && { price: price(at) }),
    });

  it('a limit close has a price above 0, and a market close none', () => {
    expect(close('limit', '60000')).not.toThrow();
    expect(close('market')).not.toThrow();
    expect(close('limit')).toThrow('a price above 0');
    expect(close('limit', '0')).toThrow('a price above 0');
    expect(close('market', '60000')).toThrow('a price above 0');
  });
});
