import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Currency } from '../core/currency.js';
import {
  add,
  fixed,
  fixedFromText,
  subtract,
  textFromFixed,
  type Amount,
  type Price,
  type Quantity,
} from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';
import { RoundTripTracker, type RoundTrip, type RoundTripFill } from './round-trips.js';

let clock = 0;
const fill = (
  side: Side,
  quantity: string,
  price: string,
  fee = '0',
  more: Partial<RoundTripFill> = {},
): RoundTripFill => ({
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side,
  quantity: fixedFromText<'quantity'>(quantity),
  price: fixedFromText<'price'>(price),
  fee: fixedFromText<'USDT'>(fee),
  time: (clock += 1_000),
  ...more,
});

const texts = (trade: RoundTrip | undefined) =>
  trade && {
    side: trade.side,
    quantity: textFromFixed(trade.quantity),
    entryPrice: textFromFixed(trade.entryPrice),
    exitPrice: textFromFixed(trade.exitPrice),
    grossPnl: textFromFixed(trade.grossPnl),
    fees: textFromFixed(trade.fees),
    netPnl: textFromFixed(trade.netPnl),
  };

describe('round trips', () => {
  test.each([
    {
      name: 'a long that gains',
      fills: [fill('buy', '2', '100', '0.1'), fill('sell', '2', '110', '0.11')],
      trade: {
        side: 'long',
        quantity: '2',
        entryPrice: '100',
        exitPrice: '110',
        grossPnl: '20',
        fees: '0.21',
        netPnl: '19.79',
      },
    },
    {
      name: 'a short that loses',
      fills: [fill('sell', '2', '100'), fill('buy', '2', '110')],
      trade: { side: 'short', entryPrice: '100', exitPrice: '110', grossPnl: '-20' },
    },
    {
      name: 'several entries and exits are one trade with averages',
      fills: [
        fill('buy', '0.5', '5000'),
        fill('buy', '0.3', '6000'),
        fill('sell', '0.2', '7000'),
        fill('sell', '0.6', '7400'),
      ],
      // 0.2 × (7000 − 5375) + 0.6 × (7400 − 5375)
      trade: { quantity: '0.8', entryPrice: '5375', exitPrice: '7300', grossPnl: '1540' },
    },
    {
      name: 'an increase after a partial exit stays in the trade',
      fills: [
        fill('buy', '1', '100'),
        fill('sell', '0.5', '120'),
        fill('buy', '0.5', '90'),
        fill('sell', '1', '100'),
      ],
      // 0.5 × 20, then a position of cost 95.
      trade: { quantity: '1.5', grossPnl: '15' },
    },
    {
      name: 'an average that does not end is rounded for reading, the money is not',
      fills: [fill('buy', '1', '10'), fill('buy', '2', '11'), fill('sell', '3', '11')],
      trade: { entryPrice: '10.66666667', grossPnl: '1' },
    },
  ])('the tracker computes $name', ({ fills, trade }) => {
    const book = new RoundTripTracker();
    const closed = fills.map((each) => book.fill(each));
    expect(closed.slice(0, -1).every((each) => each === undefined)).toBe(true);
    expect(texts(closed.at(-1))).toMatchObject(trade);
    expect(book.trades).toHaveLength(1);
    expect(book.trades[0]).toMatchObject({
      entryTime: fills[0]?.time,
      exitTime: fills.at(-1)?.time,
    });
  });

  test('a reversing fill closes one trade, opens the next and splits its fee', () => {
    const book = new RoundTripTracker();
    book.fill(fill('buy', '1', '100', '0.05'));
    const first = book.fill(fill('sell', '3', '110', '0.10000001'));
    expect(texts(first)).toMatchObject({ side: 'long', grossPnl: '10', fees: '0.08333334' });
    const second = book.fill(fill('buy', '2', '105', '0'));
    expect(texts(second)).toMatchObject({ side: 'short', quantity: '2', fees: '0.06666667' });
    expect(second?.entryTime).toBe(first?.exitTime);
    expect(textFromFixed(book.totals('USDT').fees)).toBe('0.15000001');
  });

  test('symbols and currencies are tracked separately', () => {
    const book = new RoundTripTracker();
    book.fill(fill('buy', '1', '100'));
    expect(book.fill(fill('sell', '1', '100', '0', { symbol: 'ETHUSDT' }))).toBeUndefined();
    expect(book.fill(fill('sell', '1', '100', '0', { currency: 'INR' }))).toBeUndefined();
    expect(book.trades).toEqual([]);
  });

  test('the PnL of the ledger takes precedence over the computed one', () => {
    const inr: Partial<RoundTripFill> = { currency: 'INR' };
    const book = new RoundTripTracker();
    book.fill(fill('buy', '1', '100', '5', inr));
    const booked = { ...inr, realisedPnl: fixedFromText<'INR'>('850.12345678') };
    expect(texts(book.fill(fill('sell', '1', '110', '5', booked)))).toMatchObject({
      grossPnl: '850.12345678',
      netPnl: '840.12345678',
    });
  });

  test('the missing PnL of an INR fill is an error', () => {
    const book = new RoundTripTracker();
    book.fill(fill('buy', '1', '100', '0', { currency: 'INR' }));
    expect(() => book.fill(fill('sell', '1', '110', '0', { currency: 'INR' }))).toThrow('INR');
  });

  test('funding belongs to the open trade; credits raise the net PnL', () => {
    const book = new RoundTripTracker();
    book.fill(fill('buy', '1', '100'));
    book.funding('BTCUSDT', 'USDT', fixedFromText<'USDT'>('0.3'));
    book.funding('BTCUSDT', 'USDT', fixedFromText<'USDT'>('-0.1'));
    const trade = book.fill(fill('sell', '1', '101'));
    expect(textFromFixed(trade?.netPnl ?? fixed(0))).toBe('0.8');
    expect(() => book.funding('BTCUSDT', 'USDT', fixed(1))).toThrow('open position');
  });
});

/** The published worked examples of reference/README 4.1, without funding in the price. */
test.each([
  ['buy', '2.1', '2.6925'],
  ['sell', '2.1', '-3.3075'],
  ['buy', '1.9', '-3.2925'],
  ['sell', '1.9', '2.7075'],
] as const)(
  'a trade of 30 units %s at 2.0, closed at %s with 0.25 %% fees, nets %s',
  (side, close, net) => {
    const book = new RoundTripTracker();
    book.fill(fill(side, '30', '2', '0.15'));
    const fee = close === '2.1' ? '0.1575' : '0.1425';
    const trade = book.fill(fill(side === 'buy' ? 'sell' : 'buy', '30', close, fee));
    expect(textFromFixed(trade?.netPnl ?? fixed(0))).toBe(net);
  },
);

test('every amount belongs to exactly one trade, so the totals equal those of the fills', () => {
  const one = fc.record({
    side: fc.constantFrom<Side>('buy', 'sell'),
    symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT'),
    quantity: fc.integer({ min: 1, max: 900_000_000 }),
    price: fc.integer({ min: 1, max: 9_000_000_000_000 }),
    fee: fc.integer({ min: -100_000, max: 1_000_000_000 }),
    funding: fc.integer({ min: -1_000, max: 1_000 }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 60 }), (rows) => {
      const book = new RoundTripTracker();
      const position = new Map<string, number>();
      let fees = fixed<'USDT'>(0) as Amount;
      let funding = fixed<'USDT'>(0) as Amount;
      rows.forEach((row, index) => {
        const { symbol, side } = row;
        const fee = fixed<'USDT'>(row.fee);
        book.fill({
          symbol,
          currency: 'USDT' satisfies Currency,
          side,
          quantity: fixed(row.quantity) as Quantity,
          price: fixed(row.price) as Price,
          fee,
          time: index,
        });
        fees = add(fees, fee as Amount);
        const held = (position.get(symbol) ?? 0) + (side === 'buy' ? 1 : -1) * row.quantity;
        position.set(symbol, held);
        if (held === 0) return;
        book.funding(symbol, 'USDT', fixed<'USDT'>(row.funding));
        funding = add(funding, fixed<'USDT'>(row.funding) as Amount);
      });
      const totals = book.totals('USDT');
      expect(totals.fees).toBe(fees);
      expect(totals.funding).toBe(funding);
      for (const trade of book.trades) {
        const net = subtract(subtract(trade.grossPnl, trade.fees), trade.funding);
        expect(trade.netPnl).toBe(net);
        expect(trade.exitTime).toBeGreaterThanOrEqual(trade.entryTime);
      }
    }),
    { numRuns: 200 },
  );
});

test('the gross PnL of a flat position is sales minus purchases, within rounding', () => {
  const part = fc.integer({ min: 1, max: 1_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part, part), { minLength: 1, maxLength: 20 }), (rows) => {
      const book = new RoundTripTracker();
      let cash = 0n;
      let held = 0;
      let fills = 0;
      const trade = (side: Side, quantity: number, price: number): void => {
        book.fill(fill(side, '1', '1', '0', { quantity: fixed(quantity), price: fixed(price) }));
        cash += BigInt(side === 'buy' ? -1 : 1) * BigInt(quantity) * BigInt(price);
        held += side === 'buy' ? quantity : -quantity;
        fills++;
      };
      for (const [quantity, exit, price] of rows) {
        trade('buy', quantity * 1_000_003, price * 1_234_567);
        trade('sell', Math.min(exit * 999_983, held), price * 1_111_111);
      }
      if (held > 0) trade('sell', held, 777_777_777);
      const gross = BigInt(book.totals('USDT').grossPnl) * 100_000_000n;
      const apart = gross > cash ? gross - cash : cash - gross;
      expect(apart <= BigInt(fills) * 50_000_001n).toBe(true);
    }),
    { numRuns: 200 },
  );
});
