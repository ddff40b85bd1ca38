import { describe, expect, it } from 'vitest';
import {
  d,
  breachOf,
  explanationOf,
  type ControlCase,
} from '../../../test/support/builders/risk-case.js';
import { instrumentRules } from './instrument-rules.js';

const sell = { side: 'sell' as const };
const exit = { exit: true, ...sell };
const long = { position: '1' };

const rows: readonly ControlCase[] = [
  { name: 'a proper market order' },
  { name: 'a proper limit order', intent: { price: '60000.1' } },
  {
    name: 'no instrument',
    facts: { instrument: null },
    refused: /instrument BTCUSDT is not known/,
  },

  { name: 'quantity 0', intent: { quantity: '0' }, refused: /quantity 0 is not above 0/ },
  { name: 'a negative quantity', intent: { quantity: '-1' }, refused: /is not above 0/ },
  {
    name: 'quantity between steps',
    intent: { quantity: '0.0015' },
    refused: /quantity 0\.0015 is not a multiple of the step 0\.001/,
  },
  {
    name: 'quantity below the minimum',
    intent: { quantity: '0.001' },
    facts: { instrument: { minQuantity: d('0.002') } },
    refused: /quantity 0\.001 is below the minimum 0\.002/,
  },
  { name: 'quantity at the maximum', intent: { quantity: '1500', price: '60000' } },
  {
    name: 'quantity above the maximum',
    intent: { quantity: '1500.001', price: '60000' },
    refused: /above the maximum 1500/,
  },
  { name: 'a market order at its maximum', intent: { quantity: '150' } },
  {
    name: 'a market order above its maximum',
    intent: { quantity: '150.001' },
    refused: /quantity of a market order 150\.001 is above the maximum 150/,
  },
  {
    name: 'an exit in one market order above its maximum',
    intent: { ...exit, quantity: '150.001' },
    facts: { position: '200' },
    refused: /above the maximum 150/,
  },

  { name: 'a price of 0', intent: { price: '0' }, refused: /limit price 0 is not above 0/ },
  {
    name: 'a price between steps',
    intent: { price: '60000.05' },
    refused: /limit price 60000\.05 is not a multiple of the step 0\.1/,
  },
  { name: 'a price at the maximum', intent: { price: '1999999.8' } },
  {
    name: 'a price above the maximum',
    intent: { price: '1999999.9' },
    refused: /above the maximum/,
  },
  {
    name: 'a price below the minimum',
    intent: { price: '60000' },
    facts: { instrument: { minPrice: d('60000.1') } },
    refused: /below the minimum 60000\.1/,
  },

  { name: 'worth the minimum', facts: { last: '5000' } },
  {
    name: 'worth less than the minimum',
    facts: { last: '4999.9' },
    refused: /0\.001 at 4999\.9 is worth less than the minimum 5 USDT/,
  },
  {
    name: 'worth less than the minimum at its limit',
    intent: { price: '4999.9' },
    refused: /worth less/,
  },
  { name: 'worth the minimum at its limit only', intent: { price: '5000' }, facts: { last: '1' } },
  { name: 'of unknown worth', facts: { last: null }, refused: /price of BTCUSDT is not known/ },
  { name: 'an exit of dust', intent: exit, facts: { position: '0.001', last: '1' } },

  { name: 'an exit of a long', intent: exit, facts: long },
  {
    name: 'an exit of a long that an unknown order may have opened',
    intent: exit,
    facts: { longest: '1' },
  },
  {
    name: 'an exit of nothing',
    intent: exit,
    refused: /a reduce-only sell has no long BTCUSDT to reduce/,
  },
  {
    name: 'an exit on the side of the position',
    intent: { exit: true },
    facts: long,
    refused: /a reduce-only buy has no short BTCUSDT/,
  },
  { name: 'an exit of a short', intent: { exit: true }, facts: { position: '-1' } },

  { name: 'a stop below a buy', intent: { stopLoss: '59999.9', takeProfit: '60000.1' } },
  {
    name: 'a stop at the price of a buy',
    intent: { stopLoss: '60000' },
    refused: /stop loss 60000 is not below the order price 60000/,
  },
  {
    name: 'a target below a buy',
    intent: { takeProfit: '59999' },
    refused: /take profit 59999 is not above the order price/,
  },
  { name: 'a stop above a sell', intent: { ...sell, stopLoss: '60001', takeProfit: '59999' } },
  {
    name: 'a stop below a sell',
    intent: { ...sell, stopLoss: '59999' },
    refused: /is not above the order price/,
  },
  {
    name: 'a stop on the wrong side of a limit price',
    intent: { price: '59000', stopLoss: '59500' },
    refused: /is not below the order price 59000/,
  },
  {
    name: 'a stop between steps',
    intent: { stopLoss: '59999.95' },
    refused: /stop loss 59999\.95 is not a multiple/,
  },
  {
    name: 'a target above the highest price',
    intent: { takeProfit: '2000000' },
    refused: /take profit 2000000 is above the maximum/,
  },
  {
    name: 'a stop on an exit',
    intent: { ...exit, stopLoss: '59000' },
    facts: long,
    refused: /cannot carry a stop/,
  },

  { name: 'leverage at the minimum', facts: { leverage: '1' } },
  { name: 'leverage at the maximum', facts: { leverage: '100' } },
  {
    name: 'leverage above the maximum',
    facts: { leverage: '100.01' },
    refused: /leverage 100\.01 is above the maximum 100/,
  },
  {
    name: 'leverage below the minimum',
    facts: { leverage: '0.99' },
    refused: /leverage 0\.99 is below the minimum 1/,
  },
  {
    name: 'leverage between steps',
    facts: { leverage: '2.005' },
    refused: /leverage 2\.005 is not a multiple/,
  },
  { name: 'an exit at any leverage', intent: exit, facts: { ...long, leverage: '1000' } },
  { name: 'unknown leverage, which R15 refuses', facts: { leverage: null } },
];

describe('R07 instrument_rules', () => {
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(instrumentRules, row)).toMatch(row.refused ?? /^passes$/);
  });
});

describe('the journaled values of a broken rule', () => {
  it.each<{ name: string; row: Omit<ControlCase, 'name'>; values: Record<string, string> }>([
    {
      name: 'a step',
      row: { intent: { quantity: '0.0015' } },
      values: { rule: 'quantity is not a multiple of the step 0.001', value: '0.0015' },
    },
    {
      name: 'a minimum',
      row: { intent: { quantity: '0.001' }, facts: { instrument: { minNotional: d('61') } } },
      values: { quantity: '0.001', price: '60000', min_notional: '61' },
    },
    {
      name: 'a reduction without a position',
      row: { intent: exit, facts: { position: '0' } },
      values: { position: '0' },
    },
  ])('$name', ({ name, row, values }) => {
    expect(breachOf(instrumentRules, { name, ...row })?.values()).toEqual(values);
  });

  it('a broken rule has its number, its key and no clock', () => {
    const { id, key, clock } = instrumentRules;
    expect([id, key, clock]).toEqual(['R07', 'instrument_rules', 'none']);
  });
});

describe('the edge of an instrument rule', () => {
  const passes = (row: Omit<ControlCase, 'name'>): boolean =>
    breachOf(instrumentRules, { name: '', ...row }) === undefined;
  const at60000 = (minPrice: string) => ({
    intent: { price: '60000' },
    facts: { instrument: { minPrice: d<'price'>(minPrice) } },
  });

  it.each([
    { what: 'a price at the minimum', row: at60000('60000'), ok: true },
    { what: 'a price below the minimum', row: at60000('60000.1'), ok: false },
    {
      what: 'a stop of a buy just below its price',
      row: { intent: { price: '60000', stopLoss: '59999.9' } },
      ok: true,
    },
    {
      what: 'a stop of a buy at its price',
      row: { intent: { price: '60000', stopLoss: '60000' } },
      ok: false,
    },
    {
      what: 'a target of a buy just above its price',
      row: { intent: { price: '60000', takeProfit: '60000.1' } },
      ok: true,
    },
    {
      what: 'a target of a buy at its price',
      row: { intent: { price: '60000', takeProfit: '60000' } },
      ok: false,
    },
    {
      what: 'a stop of a market buy above the last price',
      row: { intent: { stopLoss: '61000' } },
      ok: false,
    },
    {
      what: 'an exit that buys back a short',
      row: { intent: { exit: true, side: 'buy' as const }, facts: { position: '-0.001' } },
      ok: true,
    },
    {
      what: 'an exit that buys back nothing',
      row: { intent: { exit: true, side: 'buy' as const }, facts: { position: '0' } },
      ok: false,
    },
  ])('$what: $ok', ({ row, ok }) => {
    expect(passes(row)).toBe(ok);
  });
});
