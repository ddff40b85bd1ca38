import { describe, expect, it } from 'vitest';
import { explanationOf, type ControlCase } from '../../../test/support/builders/risk-case.js';
import { priceCollar, referencePriceAge } from './price.js';

const passes = 'passes';
const exit = { exit: true, side: 'sell' as const };

describe('R05 max_ref_price_age_ms', () => {
  const limitExit = { ...exit, price: '60000' };
  const rows: readonly ControlCase[] = [
    { name: 'fresh', facts: { lastAge: 0 } },
    { name: 'at the limit', facts: { lastAge: 3_000 } },
    { name: 'above the limit', facts: { lastAge: 3_001 }, refused: /3001 ms old, limit 3000 ms/ },
    { name: 'an exit at its limit', intent: limitExit, facts: { lastAge: 15_000 } },
    {
      name: 'an exit above its limit',
      intent: limitExit,
      facts: { lastAge: 15_001 },
      refused: /15001 ms old, limit 15000 ms/,
    },
    { name: 'never a price', facts: { last: null }, refused: /is not known/ },
    { name: 'a price of no known age', facts: { lastAge: null }, refused: /is not known/ },
    {
      name: 'an exit without a price',
      intent: limitExit,
      facts: { last: null },
      refused: /not known/,
    },
    { name: 'a market exit with data of any age', intent: exit, facts: { lastAge: 3_600_000 } },
    { name: 'a market exit without a price', intent: exit, facts: { last: null } },
    { name: 'an age that is no number', facts: { lastAge: Number.NaN }, refused: /NaN ms old/ },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(referencePriceAge, row)).toMatch(row.refused ?? passes);
  });
});

describe('R03 price_collar_bps', () => {
  const sell = { side: 'sell' as const };
  const rows: readonly ControlCase[] = [
    { name: 'a market order has no price', facts: { last: null } },
    { name: 'a buy 50 bps above', intent: { price: '60300' } },
    {
      name: 'a buy beyond 50 bps',
      intent: { price: '60300.1' },
      refused: /more than 50 bps beyond/,
    },
    { name: 'a sell 50 bps below', intent: { ...sell, price: '59700' } },
    {
      name: 'a sell beyond 50 bps',
      intent: { ...sell, price: '59699.9' },
      refused: /50 bps beyond/,
    },
    { name: 'a buy resting 1,000 bps below', intent: { price: '54000' } },
    { name: 'a buy resting further', intent: { price: '53999.9' }, refused: /1000 bps away from/ },
    { name: 'a sell resting 1,000 bps above', intent: { ...sell, price: '66000' } },
    {
      name: 'a sell resting further',
      intent: { ...sell, price: '66000.1' },
      refused: /1000 bps away/,
    },
    { name: 'an exit 300 bps below', intent: { ...exit, price: '58200' } },
    {
      name: 'an exit beyond 300 bps',
      intent: { ...exit, price: '58199.9' },
      refused: /300 bps beyond/,
    },
    { name: 'an exit resting at its target', intent: { ...exit, price: '65000' } },
    {
      name: 'measured from the mark where it is fresh',
      intent: { price: '60300' },
      facts: { mark: '59999' },
      refused: /reference price 59999/,
    },
    {
      name: 'measured from the mark at the limit of its age',
      intent: { price: '60300' },
      facts: { mark: '50000', markAge: 3_000 },
      refused: /reference price 50000/,
    },
    {
      name: 'measured from the last price where the mark is stale',
      intent: { price: '60300' },
      facts: { mark: '50000', markAge: 3_001 },
    },
    {
      name: 'measured from the last price where the age of the mark is unknown',
      intent: { price: '60300' },
      facts: { mark: '50000', markAge: null },
    },
    {
      name: 'no price to measure from',
      intent: { price: '60000' },
      facts: { last: null },
      refused: /price of BTCUSDT is not known/,
    },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(priceCollar, row)).toMatch(row.refused ?? passes);
  });
});
