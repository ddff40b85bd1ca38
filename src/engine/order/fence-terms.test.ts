import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';
import {
  fixed,
  isAtLeast,
  isAtMost,
  isLess,
  isMultipleOf,
  numberFromFixed,
  ONE_IN_UNITS,
  SCALE,
  subtract,
  times,
  unitsOf,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { OrderTerms } from '../../core/order.js';
import { fenceTermsOf } from './fence-terms.js';

/** 10^-n, n from 0 to 8. */
const step = fc.integer({ min: 0, max: 8 }).map((n) => SCALE / 10 ** n);
const money = { min: 1, max: 20 * SCALE };

/** A listing, a last price within it, and an order of ours. */
const aCase = fc
  .record({
    priceStep: step,
    quantityStep: step,
    lowest: fc.integer({ min: 1, max: 1_000 }),
    lastSteps: fc.integer({ min: 1, max: 1_000_000 }),
    minNotional: fc.integer(money),
    minSteps: fc.integer({ min: 1, max: 1_000 }),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    type: fc.constantFrom('limit' as const, 'market' as const),
    steps: fc.integer({ min: 1, max: 1_000 }),
    reduceOnly: fc.boolean(),
    headroom: fc.double({ min: 1, max: 10, noNaN: true }),
  })
  .map((of) => {
    const last = fixed<'price'>((of.lowest + of.lastSteps) * of.priceStep);
    const instrument: Instrument = {
      ...BTC,
      priceStep: fixed(of.priceStep),
      quantityStep: fixed(of.quantityStep),
      minPrice: fixed(of.lowest * of.priceStep),
      maxPrice: fixed(Math.ceil((scaledOf(last) * of.headroom) / of.priceStep) * of.priceStep),
      minNotional: fixed(of.minNotional),
      minQuantity: fixed(of.minSteps * of.quantityStep),
      maxQuantity: fixed(Number.MAX_SAFE_INTEGER),
    };
    const original: OrderTerms = {
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side: of.side,
      type: of.type,
      quantity: fixed((of.minSteps + of.steps) * of.quantityStep),
      ...(of.type === 'limit' && { price: last }),
      reduceOnly: of.reduceOnly,
    };
    return { instrument, last, original };
  });

type Case = typeof aCase extends fc.Arbitrary<infer T> ? T : never;

const valueOf = (quantity: Quantity, price: Price): bigint => unitsOf(quantity) * unitsOf(price);

function holds(what: (fence: OrderTerms & { readonly price: Price }, of: Case) => void): void {
  let fences = 0;
  fc.assert(
    fc.property(aCase, (of) => {
      const fence = fenceTermsOf(of.original, of.instrument, of.last);
      if (typeof fence === 'string') return;
      fences += 1;
      if (fence.price === undefined) throw new Error('a fence without a price');
      what({ ...fence, price: fence.price }, of);
    }),
    { numRuns: 2_000 },
  );
  expect(fences, 'most cases have one').toBeGreaterThan(1_000);
}

describe('the terms of a fence', () => {
  it('a fence is a limit order on the side of its order, and no reduction', () => {
    holds((fence, { original: { symbol, currency, side } }) => {
      expect(fence).toMatchObject({ symbol, currency, side, type: 'limit', reduceOnly: false });
    });
  });

  it('the terms lie on the price and quantity steps', () => {
    holds(({ price, quantity }, { instrument }) => {
      expect(isMultipleOf(price, instrument.priceStep)).toBe(true);
      expect(isMultipleOf(quantity, instrument.quantityStep)).toBe(true);
    });
  });

  it('the terms are within the venue’s price and quantity limits', () => {
    holds(({ price, quantity }, { instrument }) => {
      expect(isAtLeast(price, instrument.minPrice)).toBe(true);
      expect(isAtMost(price, instrument.maxPrice)).toBe(true);
      expect(isAtLeast(quantity, instrument.minQuantity)).toBe(true);
    });
  });

  it('the value is just above the minimum value', () => {
    holds(({ price, quantity }, { instrument }) => {
      const { minNotional, minQuantity, quantityStep } = instrument;
      const least = unitsOf(minNotional) * ONE_IN_UNITS;
      expect(valueOf(quantity, price) > least).toBe(true);
      const less = subtract(quantity, times(quantityStep, 3));
      const isLeast = isLess(less, minQuantity) || valueOf(less, price) < least;
      expect(isLeast, 'three steps less would be too little').toBe(true);
    });
  });

  it('a fence rests at least a tenth away from the last price', () => {
    holds(({ price, side }, { last }) => {
      if (side === 'buy')
        expect(numberFromFixed(price)).toBeLessThanOrEqual(numberFromFixed(last) * 0.9 + 1e-8);
      else
        expect(numberFromFixed(price)).toBeGreaterThanOrEqual(numberFromFixed(last) * 1.1 - 1e-8);
    });
  });

  it('the terms differ from the order’s, so that a read can distinguish the two', () => {
    holds(({ price, quantity, type }, { original }) => {
      expect([type, quantity, price]).not.toEqual([
        original.type,
        original.quantity,
        original.price,
      ]);
    });
  });

  it('the fence of an equal order has another quantity', () => {
    const market = { ...BTC, last: d<'price'>('60000') };
    const any: OrderTerms = {
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side: 'buy',
      type: 'market',
      quantity: d('1'),
      reduceOnly: false,
    };
    const least = fenceTermsOf(any, market, market.last);
    if (typeof least === 'string') throw new Error(least);
    const fence = fenceTermsOf(least, market, market.last);
    expect(fence).toEqual({ ...least, quantity: d('0.003') });
  });

  it.each([
    ['buy', { minPrice: d<'price'>('59000') }, 'no price of BTCUSDT surely rests'],
    ['sell', { maxPrice: d<'price'>('61000') }, 'no price of BTCUSDT surely rests'],
    ['buy', { maxQuantity: d<'quantity'>('0.001') }, 'BTCUSDT takes 0.001 at most'],
  ] as const)('are none where a %s has no room: %o', (side, change, reason) => {
    const original: OrderTerms = {
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side,
      type: 'market',
      quantity: d('1'),
      reduceOnly: false,
    };
    expect(fenceTermsOf(original, { ...BTC, ...change }, d('60000'))).toContain(reason);
  });

  it('a fence exists where the venue has no minimum price', () => {
    const original: OrderTerms = {
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side: 'buy',
      type: 'market',
      quantity: d('1'),
      reduceOnly: false,
    };
    const instrument = { ...BTC, minPrice: d<'price'>('0'), priceStep: d<'price'>('1') };
    expect(fenceTermsOf(original, instrument, d('1'))).toContain(
      'no price of BTCUSDT surely rests',
    );
    expect(fenceTermsOf(original, instrument, d('3'))).toMatchObject({ price: d('1') });
  });
});
