import { describe, expect, it } from 'vitest';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import { isStopPassed, rebuiltStopPrice } from './stop-price.js';

const row = (side: 'long' | 'short', liquidation?: string) => ({
  side,
  entryPrice: d<'price'>('60000'),
  ...(liquidation !== undefined && { liquidationPrice: d<'price'>(liquidation) }),
});

describe('the price of a rebuilt stop', () => {
  it.each([
    { name: 'stays on its step', side: 'long', price: '59000', expected: '59000' },
    { name: 'of a long is rounded up', side: 'long', price: '59000.04', expected: '59000.5' },
    { name: 'of a short is rounded down', side: 'short', price: '61000.96', expected: '61000.5' },
    {
      name: 'of a long leaves its liquidation',
      side: 'long',
      price: '50000',
      expected: '52000',
      liquidation: '50000',
    },
    {
      name: 'of a long one step inside stays',
      side: 'long',
      price: '50000.5',
      expected: '50000.5',
      liquidation: '50000',
    },
    {
      name: 'of a short leaves its liquidation',
      side: 'short',
      price: '71000',
      expected: '67500',
      liquidation: '70000',
    },
    { name: 'is bound by the minimum', side: 'long', price: '0.1', expected: '1' },
  ] as const)('$name', ({ side, price, expected, ...more }) => {
    const rules = { ...BTC, priceStep: d<'price'>('0.5'), minPrice: d<'price'>('1') };
    const liquidation = 'liquidation' in more ? more.liquidation : undefined;
    const entry =
      liquidation === '50000'
        ? { ...row(side, liquidation), entryPrice: d<'price'>('58000') }
        : row(side, liquidation);
    expect(rebuiltStopPrice(d(price), rules, entry)).toBe(d(expected));
  });

  it.each([
    ['long', '59000.1', false],
    ['long', '59000', true],
    ['long', '58999.9', true],
    ['short', '58999.9', false],
    ['short', '59000', true],
    ['short', '59000.1', true],
  ] as const)(
    'a stop of a %s at 59000 with the market at %s is passed: %s',
    (side, last, passed) => {
      expect(isStopPassed(d('59000'), d(last), side)).toBe(passed);
    },
  );
});
