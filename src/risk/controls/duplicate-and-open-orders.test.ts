import { describe, expect, it } from 'vitest';
import {
  explanationOf,
  VENUE_TIME,
  type ControlCase,
} from '../../../test/support/builders/risk-case.js';
import { DEFAULT_LIMITS } from '../limits/risk-limits.js';
import { duplicate, openOrders, unknownOrders } from './duplicate-and-open-orders.js';

describe('R08 duplicate_window_ms', () => {
  const openTime = VENUE_TIME - 60_000;
  const other = { openTime: openTime - 60_000 };
  const now = VENUE_TIME;
  const rows: readonly ControlCase[] = [
    { name: 'the first of all' },
    {
      name: 'the same decision and leg again, at any time',
      before: [[{}, now - 86_400_000]],
      refused: /this decision \(leg 0\) has had its order already/,
    },
    {
      name: 'the same decision and leg with another quantity',
      intent: { quantity: '0.5' },
      before: [[{}, now - 86_400_000]],
      refused: /has had its order already/,
    },
    { name: 'the other leg of a reversal', intent: { leg: 1 }, before: [[{}, now]] },
    {
      name: 'the same from another decision, at the limit',
      before: [[other, now - 5_000]],
      refused: /the same order was wanted 5000 ms before, window 5000 ms/,
    },
    { name: 'the same from another decision, later', before: [[other, now - 5_001]] },
    {
      name: 'another quantity by one step',
      intent: { quantity: '0.003' },
      before: [[{ ...other, quantity: '0.002' }, now]],
      refused: /wanted 0 ms before/,
    },
    {
      name: 'another quantity by two steps',
      intent: { quantity: '0.003' },
      before: [[{ ...other, quantity: '0.001' }, now]],
    },
    {
      name: 'the same quantity at another price that rests',
      intent: { price: '59000' },
      before: [[{ ...other, price: '59000.1' }, now]],
    },
    {
      name: 'the same quantity at the same price that rests',
      intent: { price: '59000' },
      before: [[{ ...other, price: '59000' }, now]],
      refused: /wanted 0 ms before/,
    },
    {
      name: 'a limit at the price of the decision rests',
      intent: { price: '60000' },
      before: [[{ ...other, price: '59999.9' }, now]],
    },
    {
      name: 'a marketable buy at another price',
      intent: { price: '60030.1' },
      before: [[{ ...other, price: '60030' }, now]],
      refused: /wanted 0 ms before/,
    },
    {
      name: 'a marketable sell at another price',
      intent: { side: 'sell', price: '59970' },
      before: [[{ ...other, side: 'sell', price: '59960' }, now]],
      refused: /wanted 0 ms before/,
    },
    {
      name: 'a market order after a marketable one',
      before: [[{ ...other, price: '60030' }, now]],
      refused: /wanted 0 ms before/,
    },
    {
      name: 'a market order after one that rests',
      before: [[{ ...other, price: '59000' }, now]],
    },
    {
      name: 'a market order with another stop',
      intent: { stopLoss: '58000' },
      before: [[{ ...other, stopLoss: '58500' }, now]],
      refused: /wanted 0 ms before/,
    },
    { name: 'the other side', before: [[{ ...other, side: 'sell' }, now]] },
    { name: 'another strategy', before: [[{ ...other, strategyId: 'other' }, now]] },
    { name: 'another symbol', before: [[{ ...other, symbol: 'ETHUSDT' }, now]] },
    { name: 'another currency', before: [[{ ...other, currency: 'INR' }, now]] },
    {
      name: 'an older one of several',
      before: [
        [{ openTime: openTime - 120_000 }, now - 4_000],
        [{ ...other, quantity: '0.5' }, now - 1_000],
      ],
      refused: /4000 ms before/,
    },
    {
      name: 'the second of two decisions on one candle',
      intent: { ordinal: 1 },
      before: [[{}, now]],
      refused: /wanted 0 ms before/,
    },
    {
      name: 'a market exit again: it cannot exceed the position',
      intent: { exit: true, side: 'sell' },
      before: [[{ ...other, exit: true, side: 'sell' }, now - 1_000]],
    },
    {
      name: 'a limit exit again',
      intent: { exit: true, side: 'sell', price: '61000' },
      before: [[{ ...other, exit: true, side: 'sell', price: '61000' }, now - 1_000]],
      refused: /wanted 1000 ms before/,
    },
    {
      name: 'before a venue clock that was set back',
      before: [[other, now + 1_000]],
      refused: /-1000 ms before/,
    },
    {
      name: 'the same at the same moment, in a window of 0 ms',
      before: [[other, now]],
      limits: { duplicateWindowMs: 0 },
    },
    {
      name: 'the same decision again, in a window of 0 ms',
      before: [[{}, now]],
      limits: { duplicateWindowMs: 0 },
      refused: /has had its order already/,
    },
    { name: 'itself, at send time', before: [[{}, now]], phase: 'send' },
    { name: 'no instrument', facts: { instrument: null }, refused: /is not known/ },
    {
      name: 'ordinals beyond the usual',
      intent: { ordinal: 64 },
      before: [[{ ordinal: 64 }, 0]],
      refused: /already/,
    },
    {
      name: 'ordinal 64 is not ordinal 0 of the next',
      intent: { ordinal: 64 },
      before: [[{ openTime: openTime + 1_000 }, 0]],
    },
    { name: 'leg 8 is not leg 0 of the next', intent: { leg: 8 }, before: [[{ ordinal: 1 }, 0]] },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(duplicate, row)).toMatch(row.refused ?? /^passes$/);
  });
});

describe('R10 max_open_orders', () => {
  const exit = { exit: true, side: 'sell' as const };
  const rows: readonly ControlCase[] = [
    { name: 'the twelfth of a symbol', facts: { orders: 11 } },
    {
      name: 'the thirteenth',
      facts: { orders: 12 },
      refused: /order 13 open in BTCUSDT, limit 12/,
    },
    { name: 'the twelfth, already counted at send time', facts: { orders: 12 }, phase: 'send' },
    { name: 'too many at send time', facts: { orders: 13 }, phase: 'send', refused: /order 13/ },
    { name: 'the fortieth of the account', facts: { accountOrders: 39 } },
    {
      name: 'the forty-first',
      facts: { accountOrders: 40 },
      refused: /order 41 open in the account, limit 40/,
    },
    {
      name: 'a thirteenth that is an exit and may rest',
      intent: { ...exit, price: '60000' },
      facts: { orders: 12 },
      refused: /order 13/,
    },
    {
      name: 'a market exit beside any number of open orders',
      intent: exit,
      facts: { orders: 40, accountOrders: 400 },
    },
    { name: 'a count that is no number', facts: { orders: Number.NaN }, refused: /order NaN/ },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(openOrders, row)).toMatch(row.refused ?? /^passes$/);
  });
});

describe('R23 unknown_intents', () => {
  const breakers = { ...DEFAULT_LIMITS.breakers, maxUnknownOrders: { symbol: 2, account: 3 } };
  it.each<ControlCase>([
    { name: 'no unknown order' },
    { name: 'below the limit', facts: { unknownOrders: 1 }, limits: { breakers } },
    {
      name: 'at the limit',
      facts: { unknownOrders: 2 },
      limits: { breakers },
      refused: /2 orders of BTCUSDT have an unknown outcome, limit 2/,
    },
    {
      name: 'above the limit',
      facts: { unknownOrders: 3 },
      limits: { breakers },
      refused: /limit 2/,
    },
    { name: 'an exit', intent: { exit: true }, facts: { unknownOrders: 3 } },
    {
      name: 'a repeated sending, which counts itself',
      phase: 'send',
      facts: { unknownOrders: 1 },
    },
  ])('the control gives the expected verdict: $name', (row) => {
    const text = explanationOf(unknownOrders, row);
    if (row.refused === undefined) expect(text).toBe('passes');
    else expect(text).toMatch(row.refused);
  });
});
