import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import type { OrderReport, OrderTerms } from '../../core/order.js';
import { amendedByHand, contradictionOf, differenceOf, isSameOrder } from './order-comparison.js';

const LIMIT: OrderTerms = {
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'buy',
  type: 'limit',
  quantity: d('0.01'),
  price: d('60000'),
  reduceOnly: false,
};
const { price: _, ...rest } = LIMIT;
const MARKET: OrderTerms = { ...rest, type: 'market' };

/** What the venue says of the limit order; undefined leaves a field out. */
type Said = { readonly [K in keyof OrderReport]?: OrderReport[K] | undefined };
const said = (more: Said = {}): OrderReport => {
  const report = {
    orderId: 'v1',
    symbol: 'BTCUSDT',
    currency: 'USDT',
    role: 'trade',
    side: 'buy',
    type: 'limit',
    status: 'created',
    quantity: d('0.01'),
    filledQuantity: d('0'),
    price: d('60000'),
    ...more,
  };
  return Object.fromEntries(
    Object.entries(report).filter(([, value]) => value !== undefined),
  ) as unknown as OrderReport;
};

describe('a report of an order', () => {
  it.each<readonly [string, Said, string | undefined]>([
    ['agrees', {}, undefined],
    ['without its symbol agrees', { symbol: undefined }, undefined],
    ['without its side agrees', { side: undefined }, undefined],
    ['without its price agrees', { price: undefined }, undefined],
    ['filled to the last agrees', { filledQuantity: d('0.01') }, undefined],
    ['of another symbol', { symbol: 'ETHUSDT' }, 'symbol ETHUSDT'],
    ['of another currency', { currency: 'INR' }, 'currency INR'],
    ['of the other side', { side: 'sell' }, 'side sell'],
    ['of another type', { type: 'market' }, 'type market'],
    ['of more', { quantity: d('0.011') }, 'another quantity'],
    ['of less', { quantity: d('0.009') }, 'another quantity'],
    ['filled too much', { filledQuantity: d('0.011') }, 'more filled than was ordered'],
    ['at another price', { price: d('60000.1') }, 'another price'],
  ])('%s', (_name, more, difference) => {
    expect(differenceOf(LIMIT, said(more))).toBe(difference);
  });

  it('at the market may print any price', () => {
    expect(differenceOf(MARKET, said({ type: 'market', price: d('1') }))).toBeUndefined();
  });
});

describe('while an amendment is not proved', () => {
  const amending = { ...LIMIT, quantity: d<'quantity'>('0.02'), price: d<'price'>('59000') };

  it('a report may show either terms, and no mixture of them', () => {
    const order = { terms: LIMIT, amending };
    expect(contradictionOf(order, said())).toBeUndefined();
    const amended = said({ quantity: d('0.02'), price: d('59000') });
    expect(contradictionOf(order, amended)).toBeUndefined();
    expect(contradictionOf(order, said({ quantity: d('0.02') }))).toBe('another quantity');
    expect(contradictionOf(order, said({ price: d('59000') }))).toBe('another price');
  });

  it('is needed for new terms', () => {
    const amended = said({ quantity: d('0.02'), price: d('59000') });
    expect(contradictionOf({ terms: LIMIT, amending: undefined }, amended)).toBe(
      'another quantity',
    );
  });
});

describe('terms that somebody gave the order by hand', () => {
  it('are its price and its quantity', () => {
    expect(amendedByHand(LIMIT, said({ price: d('59000') }))).toEqual({
      ...LIMIT,
      price: d('59000'),
    });
    expect(amendedByHand(LIMIT, said({ quantity: d('0.02') }))).toEqual({
      ...LIMIT,
      quantity: d('0.02'),
    });
    const both = said({ quantity: d('0.02'), price: undefined });
    expect(amendedByHand(LIMIT, both)).toEqual({ ...LIMIT, quantity: d('0.02') });
  });

  it('are not there while it has ours, or when it is another order', () => {
    expect(amendedByHand(LIMIT, said())).toBeUndefined();
    expect(amendedByHand(LIMIT, said({ price: undefined }))).toBeUndefined();
    expect(amendedByHand(LIMIT, said({ price: d('59000'), side: 'sell' }))).toBeUndefined();
    expect(amendedByHand(LIMIT, said({ quantity: d('0.02'), symbol: 'X' }))).toBeUndefined();
  });

  it('have no price where it trades at the market', () => {
    const report = said({ type: 'market', quantity: d('0.02'), price: d('1') });
    expect(amendedByHand(MARKET, report)).toEqual({ ...MARKET, quantity: d('0.02') });
    expect(amendedByHand(MARKET, said({ type: 'market', price: d('1') }))).toBeUndefined();
  });
});

describe('a report without a client id', () => {
  it('could be of an order that trades with the same terms, and of no other', () => {
    expect(isSameOrder(LIMIT, said())).toBe(true);
    expect(isSameOrder(LIMIT, said({ role: 'stop-loss' }))).toBe(false);
    expect(isSameOrder(LIMIT, said({ quantity: d('0.02') }))).toBe(false);
  });
});
