import { describe, expect, it } from 'vitest';
import { explanationOf, type ControlCase } from '../../../test/support/builders/risk-case.js';
import type { Control } from '../control.js';
import { liquidationDistance } from './liquidation.js';
import { selfCross } from './self-cross.js';

const exit = { exit: true, side: 'sell' as const };

const runs = (control: Control, rows: readonly ControlCase[]): void => {
  it.each(rows)('$name', (row) => {
    if (row.refused === undefined) expect(explanationOf(control, row)).toBe('passes');
    else expect(explanationOf(control, row)).toMatch(row.refused);
  });
};

describe('R16 min_liq_distance_pct', () => {
  const sell = { side: 'sell' as const };
  runs(liquidationDistance, [
    { name: 'a long at leverage 10', facts: { leverage: '10' } },
    {
      name: 'a long at leverage 11',
      facts: { leverage: '11' },
      refused: /7\.2\d* % from the price/,
    },
    { name: 'a short at leverage 9', intent: sell, facts: { leverage: '9' } },
    { name: 'a short at leverage 10', intent: sell, facts: { leverage: '10' }, refused: /7\.8/ },
    { name: 'leverage 1', facts: { leverage: '1' } },
    {
      name: 'a long 8 % from the mark price',
      facts: { leverage: '5', mark: '53238.7' },
    },
    {
      name: 'a long just nearer to the mark price',
      facts: { leverage: '5', mark: '53238.6' },
      refused: /liquidated near 48979\.59183673, 7\.9\d* % from the price 53238\.6/,
    },
    {
      name: 'more of a long that has lost half of its way',
      facts: { leverage: '3', position: '0.1', entryPrice: '82000', last: '60000' },
      refused: /liquidated near/,
    },
    {
      name: 'the same quantity without that loss',
      facts: { leverage: '3', position: '0.1', entryPrice: '60000', last: '60000' },
    },
    {
      name: 'a stop at a quarter of the way from liquidation to entry',
      intent: { stopLoss: '51734.7' },
      facts: { leverage: '5' },
    },
    {
      name: 'a stop beyond it',
      intent: { stopLoss: '51734.6' },
      facts: { leverage: '5' },
      refused: /stop 51734\.6 is too near to the liquidation price 48979\.59183673/,
    },
    {
      name: 'a stop of a short beyond it',
      intent: { ...sell, stopLoss: '69000' },
      facts: { leverage: '5' },
      refused: /stop 69000 is too near/,
    },
    { name: 'no leverage', facts: { leverage: null }, refused: /leverage of BTCUSDT is not known/ },
    { name: 'no price', facts: { last: null }, refused: /is not known/ },
    {
      name: 'no entry price of the position',
      facts: { position: '0.1', entryPrice: null },
      refused: /entry price of BTCUSDT is not known/,
    },
    {
      name: 'an entry that may open a position once the other side is closed',
      intent: sell,
      facts: { leverage: '50', position: '9' },
      refused: /liquidated/,
    },
    { name: 'an exit', intent: exit, facts: { leverage: '50', position: '9' } },
  ]);
});

describe('R20 self_cross', () => {
  const resting = { buy: ['59000'], sell: ['61000'] };
  runs(selfCross, [
    { name: 'no order of ours' },
    { name: 'a buy below our sell', intent: { price: '60999.9' }, facts: { resting } },
    { name: 'a buy at our sell', intent: { price: '61000' }, facts: { resting }, refused: /61000/ },
    {
      name: 'a buy above our sell',
      intent: { price: '61000.1' },
      facts: { resting },
      refused: /sell/,
    },
    {
      name: 'a sell above our buy',
      intent: { side: 'sell', price: '59000.1' },
      facts: { resting },
    },
    {
      name: 'a sell at our buy',
      intent: { side: 'sell', price: '59000' },
      facts: { resting },
      refused: /this sell can reach 59000, where our own buy order rests at 59000: cancel that/,
    },
    { name: 'a market buy far below our sell', facts: { resting } },
    {
      name: 'a market buy within 50 bps of our sell',
      facts: { resting: { sell: ['60300'] } },
      refused: /reach 60300/,
    },
    { name: 'a market buy just out of that reach', facts: { resting: { sell: ['60300.1'] } } },
    { name: 'no price', facts: { resting, last: null }, refused: /price of BTCUSDT is not known/ },
    {
      name: 'at send time',
      phase: 'send',
      intent: { price: '61000' },
      facts: { resting },
      refused: /61000/,
    },
    { name: 'an exit', intent: { ...exit, price: '59000' }, facts: { resting, position: '1' } },
  ]);
});
