import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import type { OrderReport, OrderTerms } from '../../core/order.js';
import {
  manuallyAmendedTerms,
  contradictionOf,
  differenceOf,
  isSameOrder,
} from './order-comparison.js';

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

/** A report of the limit order; undefined leaves a field out. */
type ReportFields = { readonly [K in keyof OrderReport]?: OrderReport[K] | undefined };
const reportWith = (more: ReportFields = {}): OrderReport => {
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

describe('report of an order', () => {
  it.each<readonly [string, ReportFields, string | undefined]>([
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
    expect(differenceOf(LIMIT, reportWith(more))).toBe(difference);
  });

  it('a market order may report any price', () => {
    expect(differenceOf(MARKET, reportWith({ type: 'market', price: d('1') }))).toBeUndefined();
  });
});

describe('report during an unproved amendment', () => {
  const amending = { ...LIMIT, quantity: d<'quantity'>('0.02'), price: d<'price'>('59000') };

  it('a report may show either terms, and no mixture of them', () => {
    const order = { terms: LIMIT, amending };
    expect(contradictionOf(order, reportWith())).toBeUndefined();
    const amended = reportWith({ quantity: d('0.02'), price: d('59000') });
    expect(contradictionOf(order, amended)).toBeUndefined();
    expect(contradictionOf(order, reportWith({ quantity: d('0.02') }))).toBe('another quantity');
    expect(contradictionOf(order, reportWith({ price: d('59000') }))).toBe('another price');
  });

  it('only an amendment permits new terms', () => {
    const amended = reportWith({ quantity: d('0.02'), price: d('59000') });
    expect(contradictionOf({ terms: LIMIT, amending: undefined }, amended)).toBe(
      'another quantity',
    );
  });
});

describe('terms amended outside this bot', () => {
  it('an external amendment changes price and quantity', () => {
    expect(manuallyAmendedTerms(LIMIT, reportWith({ price: d('59000') }))).toEqual({
      ...LIMIT,
      price: d('59000'),
    });
    expect(manuallyAmendedTerms(LIMIT, reportWith({ quantity: d('0.02') }))).toEqual({
      ...LIMIT,
      quantity: d('0.02'),
    });
    const both = reportWith({ quantity: d('0.02'), price: undefined });
    expect(manuallyAmendedTerms(LIMIT, both)).toEqual({ ...LIMIT, quantity: d('0.02') });
  });

  it('a report with our terms, or of another order, is no external amendment', () => {
    expect(manuallyAmendedTerms(LIMIT, reportWith())).toBeUndefined();
    expect(manuallyAmendedTerms(LIMIT, reportWith({ price: undefined }))).toBeUndefined();
    expect(
      manuallyAmendedTerms(LIMIT, reportWith({ price: d('59000'), side: 'sell' })),
    ).toBeUndefined();
    expect(
      manuallyAmendedTerms(LIMIT, reportWith({ quantity: d('0.02'), symbol: 'X' })),
    ).toBeUndefined();
  });

  it('an amended market order has no price', () => {
    const report = reportWith({ type: 'market', quantity: d('0.02'), price: d('1') });
    expect(manuallyAmendedTerms(MARKET, report)).toEqual({ ...MARKET, quantity: d('0.02') });
    expect(
      manuallyAmendedTerms(MARKET, reportWith({ type: 'market', price: d('1') })),
    ).toBeUndefined();
  });
});

describe('report without a client id', () => {
  it('the report could be of a trading order with the same terms, and of no other', () => {
    expect(isSameOrder(LIMIT, reportWith())).toBe(true);
    expect(isSameOrder(LIMIT, reportWith({ role: 'stop-loss' }))).toBe(false);
    expect(isSameOrder(LIMIT, reportWith({ quantity: d('0.02') }))).toBe(false);
  });
});
