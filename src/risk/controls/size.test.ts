import { describe, expect, it } from 'vitest';
import {
  d,
  breachOf,
  explanationOf,
  type ControlCase,
} from '../../../test/support/builders/risk-case.js';
import { orderNotional, orderQuantity, positionNotional } from './size.js';

const passes = 'passes';

describe('R01 max_order_notional', () => {
  const wide = { maxOrderNotionalShare: d<'ratio'>('100') };
  const rows: readonly ControlCase[] = [
    { name: 'below the amount', intent: { quantity: '0.008' } },
    { name: 'at the amount', intent: { quantity: '0.005' }, facts: { last: '100000' } },
    {
      name: 'one step above the amount',
      intent: { quantity: '0.009' },
      refused: /order notional 540 is above 500 USDT/,
    },
    {
      name: 'at the share of equity',
      intent: { quantity: '0.005' },
      facts: { equity: '1200' },
    },
    {
      name: 'above the share of equity, below the amount',
      intent: { quantity: '0.005' },
      facts: { equity: '1199.96' },
      refused: /order notional 300 is above 299\.99 USDT \(by its share of equity\)/,
    },
    {
      name: 'by the limit price, where that is the higher',
      intent: { quantity: '0.005', price: '100000.1' },
      limits: wide,
      refused: /500\.0005 is above 500/,
    },
    {
      name: 'by the last price, where a sell limit lies below it',
      intent: { quantity: '0.009', price: '50000', side: 'sell' },
      limits: wide,
      refused: /540 is above 500/,
    },
    {
      name: 'INR equity at the hedge rate',
      intent: { quantity: '0.005', currency: 'INR' },
      facts: { equity: '102000', hedgeRate: '85' },
    },
    {
      name: 'INR equity that is too small at the hedge rate',
      intent: { quantity: '0.005', currency: 'INR' },
      facts: { equity: '101999', hedgeRate: '85' },
      refused: /share of equity/,
    },
    {
      name: 'INR equity without a hedge rate',
      intent: { currency: 'INR' },
      facts: { hedgeRate: null },
      refused: /INR equity is not known/,
    },
    { name: 'no price', facts: { last: null }, refused: /price of BTCUSDT is not known/ },
    {
      name: 'a limit order without a last price',
      intent: { price: '60000' },
      facts: { last: null },
      refused: /price of BTCUSDT is not known/,
    },
    { name: 'no equity', facts: { equity: null }, refused: /USDT equity is not known/ },
    { name: 'equity eaten up', facts: { equity: '-1' }, refused: /is above -0\.25/ },
    {
      name: 'an exit of a position that grew beyond the amount',
      intent: { exit: true, side: 'sell', quantity: '0.02' },
      facts: { position: '0.02', equity: null },
    },
    {
      name: 'an exit larger than the position, above the amount',
      intent: { exit: true, side: 'sell', quantity: '0.021' },
      facts: { position: '0.02' },
      refused: /order notional 1260 is above 500/,
    },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(orderNotional, row)).toMatch(row.refused ?? passes);
  });

  it('a breach has the compared numbers', () => {
    const breach = breachOf(orderNotional, { name: '', intent: { quantity: '1' } });
    expect(breach?.values()).toEqual({ value: '60000', limit: '500' });
  });
});

describe('R02 max_order_qty', () => {
  const limits = { maxOrderQuantity: new Map([['BTCUSDT', d<'quantity'>('0.005')]]) };
  const rows: readonly ControlCase[] = [
    { name: 'below its own limit', intent: { quantity: '0.004' }, limits },
    { name: 'at its own limit', intent: { quantity: '0.005' }, limits },
    {
      name: 'above its own limit',
      intent: { quantity: '0.006' },
      limits,
      refused: /order quantity 0\.006 is above 0\.005/,
    },
    { name: 'another symbol than the limited', intent: { quantity: '0.006', symbol: 'X' }, limits },
    { name: 'at the venue limit of market orders', intent: { quantity: '150' } },
    {
      name: 'above the venue limit of market orders',
      intent: { quantity: '150.001' },
      refused: /above 150 /,
    },
    { name: 'a limit order above that', intent: { quantity: '150.001', price: '60000' } },
    {
      name: 'above the venue limit',
      intent: { quantity: '1500.001', price: '60000' },
      refused: /above 1500/,
    },
    { name: 'no instrument', facts: { instrument: null }, refused: /instrument BTCUSDT is not/ },
    {
      name: 'an exit of the position',
      intent: { exit: true, side: 'sell', quantity: '0.006' },
      facts: { position: '0.006' },
      limits,
    },
    {
      name: 'an exit larger than the position',
      intent: { exit: true, side: 'sell', quantity: '0.007' },
      facts: { position: '0.006' },
      limits,
      refused: /above 0\.005/,
    },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(orderQuantity, row)).toMatch(row.refused ?? passes);
  });
});

describe('R12 max_position_notional', () => {
  const rows: readonly ControlCase[] = [
    {
      name: 'at the amount with the position',
      intent: { quantity: '0.002' },
      facts: { last: '100000', position: '0.008' },
    },
    {
      name: 'above the amount with the position',
      intent: { quantity: '0.003' },
      facts: { last: '100000', position: '0.008' },
      refused: /worst position notional 1100 is above 1000/,
    },
    {
      name: 'above the amount with what is open, in flight or unknown',
      intent: { quantity: '0.003' },
      facts: { last: '100000', longest: '0.008' },
      refused: /1100 is above 1000/,
    },
    {
      name: 'orders of the other side do not count',
      intent: { quantity: '0.003' },
      facts: { last: '100000', shortest: '-0.008' },
    },
    {
      name: 'a short above the amount',
      intent: { side: 'sell', quantity: '0.003' },
      facts: { last: '100000', shortest: '-0.008' },
      refused: /1100 is above 1000/,
    },
    {
      name: 'above the share of equity',
      intent: { quantity: '0.001' },
      facts: { equity: '119' },
      refused: /60 is above 59\.5 USDT \(by its share of equity\)/,
    },
    {
      name: 'an entry against a position, within the limit without it',
      intent: { side: 'sell', quantity: '0.01' },
      facts: { last: '100000', position: '1' },
    },
    {
      name: 'an entry against a position, which may be closed first',
      intent: { side: 'sell', quantity: '0.011' },
      facts: { last: '100000', position: '1' },
      refused: /1100 is above 1000/,
    },
    {
      name: 'an exit of a position beyond the limit',
      intent: { exit: true, side: 'sell', quantity: '1' },
      facts: { position: '1', last: null, equity: null },
    },
    {
      name: 'at send time, when the exposure holds it already',
      intent: { quantity: '0.01' },
      facts: { last: '100000', longest: '0.01' },
      phase: 'send',
    },
    {
      name: 'at send time, when it has become too much',
      intent: { quantity: '0.01' },
      facts: { last: '100000', longest: '0.011' },
      phase: 'send',
      refused: /1100 is above 1000/,
    },
    { name: 'no price', facts: { last: null }, refused: /price of BTCUSDT is not known/ },
    { name: 'no equity', facts: { equity: null }, refused: /equity is not known/ },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(positionNotional, row)).toMatch(row.refused ?? passes);
  });
});
