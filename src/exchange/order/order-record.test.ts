import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  averagePrice,
  fixedFromText,
  multiplyExact,
  ProductSum,
  textFromFixed,
  ZERO,
  type Amount,
  type Fixed,
} from '../../core/fixed/fixed.js';
import type { Listing } from '../../core/instrument.js';
import { OrderRecord } from './order-record.js';

const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);

function order(quantity: string): OrderRecord {
  return new OrderRecord({
    orderId: 'o1',
    clientOrderId: undefined,
    symbolState: { symbol: 'BTCUSDT', listing: {} as Listing, mark: of('1') },
    currency: 'USDT',
    role: 'trade',
    side: 'buy',
    type: 'market',
    quantity: of(quantity),
    price: of('1'),
    reduceOnly: false,
    leverage: of('1'),
    hedgeRate: of('1'),
    positionId: 'p1',
    nowMs: 0,
  });
}

function fill(record: OrderRecord, price: string, quantity: string): void {
  const terms = { price: of<'price'>(price), quantity: of<'quantity'>(quantity) };
  const rest = { id: 'e', fee: ZERO as Amount, maker: false, time: 1 };
  record.applyExecution({ ...terms, ...rest }, ProductSum.of(terms.price, terms.quantity));
}

const averageOf = (record: OrderRecord): string | undefined => {
  const { averagePrice } = record.snapshot();
  return averagePrice === undefined ? undefined : textFromFixed(averagePrice);
};

describe('the average price of an order', () => {
  it('an order without a fill has none, and its snapshot lacks the field', () => {
    expect(order('10').snapshot()).not.toHaveProperty('averagePrice');
  });

  it('the average of one fill is its price, and of two fills their mean by quantity', () => {
    const record = order('10');
    fill(record, '100', '2.5');
    expect(averageOf(record)).toBe('100');
    fill(record, '104', '7.5');
    expect(averageOf(record)).toBe('103');
  });

  it('the average of one fill equals its value over its quantity, at any number of places', () => {
    const texts = fc
      .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 1, max: 10 ** 12 - 1 }))
      .chain(([whole, rest]) =>
        fc.constantFrom(2, 8, 9, 12).map((places) => {
          const digits = String(rest).padStart(12, '0').slice(-places);
          return `${whole}.${digits.replace(/0+$/, '')}1`;
        }),
      );
    fc.assert(
      fc.property(texts, fc.constantFrom('0.001', '1', '10', '12345.678'), (price, quantity) => {
        const record = order(quantity);
        fill(record, price, quantity);
        const value = multiplyExact(of(price), of(quantity));
        expect(record.averagePrice).toBe(averagePrice(value, of(quantity)));
      }),
    );
  });

  it('a snapshot keeps the executions of its moment', () => {
    const record = order('10');
    fill(record, '100', '4');
    const first = record.snapshot();
    fill(record, '101', '6');
    expect(first.executions).toHaveLength(1);
    expect(record.snapshot().executions).toHaveLength(2);
  });
});
