import { expect, it } from 'vitest';
import { BTC, d } from '../../test/harness/risk-case.js';
import { textFromFixed, type Price, type Quantity } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Side } from '../core/order.js';
import { fenceTermsOf } from './fence-terms.js';

const SHIB: Instrument = {
  ...BTC,
  quantityStep: d<'quantity'>('1'),
  minQuantity: d<'quantity'>('1'),
  maxQuantity: d<'quantity'>('1000000000000'),
  priceStep: d<'price'>('0.0000000001'),
  minPrice: d<'price'>('0.0000000001'),
  maxPrice: d<'price'>('1'),
  minNotional: d<'USDT'>('6'),
};

const fence = (instrument: Instrument, side: Side, last: string): string => {
  const original = {
    symbol: 'X',
    currency: 'USDT',
    side,
    type: 'market',
    reduceOnly: false,
  } as const;
  const quantity: Quantity = d('1');
  const at: Price = d(last);
  const terms = fenceTermsOf({ ...original, quantity }, instrument, at);
  return `${textFromFixed(terms.quantity)} at ${textFromFixed(terms.price ?? d('0'))}`;
};

it.each([
  ['buy', '0.0000123457', '972008 at 0.0000061728'],
  ['sell', '0.0000123457', '324002 at 0.0000185185'],
  ['buy', '0.000000001', '12000000001 at 0.0000000005'],
] as const)('a fence of a %s keeps the places of a price of %s', (side, last, terms) => {
  expect(fence(SHIB, side, last)).toBe(terms);
});

it('a fence stays within the prices that the venue takes, on their step', () => {
  const narrow = {
    ...SHIB,
    minPrice: d<'price'>('0.00000900005'),
    maxPrice: d<'price'>('0.00001500005'),
  };
  expect(fence(narrow, 'buy', '0.0000123457')).toMatch(/ at 0\.0000090001$/);
  expect(fence(narrow, 'sell', '0.0000123457')).toMatch(/ at 0\.000015$/);
});
