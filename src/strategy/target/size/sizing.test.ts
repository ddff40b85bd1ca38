import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedFromText, numberFromFixed } from '../../../core/fixed/fixed.js';
import { sizeSchema } from './size-schema.js';
import { sizeFromText, sizeOf, type Size, type SizingFacts } from './sizing.js';
import { testInstrument } from '../../../testing/instrument.js';

const facts = (changes: Partial<SizingFacts> = {}): SizingFacts => ({
  conviction: 1,
  price: 100,
  equity: () => 1_000,
  stopDistance: () => 2,
  volatility: () => undefined,
  instrument: testInstrument(),
  ...changes,
});

const quantityOf = (size: unknown, changes: Partial<SizingFacts> = {}): number | string => {
  const sized = sizeOf(sizeSchema.parse(size), facts(changes));
  return sized.kind === 'sized' ? numberFromFixed(sized.quantity) : sized.reason;
};

describe('sizeOf', () => {
  it.each([
    ['base units', { quantity: '0.01' }, {}, 0.01],
    ['base units off the step, toward zero', { quantity: '0.0199' }, {}, 0.019],
    ['a part of the base units', { quantity: '0.3' }, { conviction: 0.5 }, 0.15],
    ['USDT', { notional: '250' }, {}, 2.5],
    ['a part of the USDT, toward zero', { notional: 100 }, { conviction: 0.3333 }, 0.333],
    ['per cent of equity', { equity_pct: 10 }, {}, 1],
    ['more than all of the equity', { equity_pct: 300 }, {}, 30],
    ['per cent of equity at risk', { risk_pct: '0.5' }, {}, 2.5],
    ['nothing of an equity below 0', { equity_pct: 10 }, { equity: () => -5 }, 0],
  ] satisfies [string, object, Partial<SizingFacts>, number][])(
    'sizes in %s',
    (_, size, changes, expected) => {
      expect(quantityOf(size, changes)).toBe(expected);
    },
  );

  it.each([
    ['the equity', { equity_pct: 1 }, { equity: () => undefined }, /needs the equity in USDT/],
    ['the stop', { risk_pct: 1 }, { stopDistance: () => undefined }, /needs a stop/],
    ['a price that is one', { notional: 1 }, { price: 1e-16 }, /cannot be held/],
    ['a distance to the stop', { risk_pct: 1 }, { stopDistance: () => 0 }, /cannot be held/],
  ] satisfies [string, object, Partial<SizingFacts>, RegExp][])(
    'says what is missing: %s',
    (_, size, changes, message) => {
      expect(quantityOf(size, changes)).toMatch(message);
    },
  );

  it('a size is at most the request, and within one step of it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e6, noNaN: true }),
        fc.double({ min: 0.01, max: 1e5, noNaN: true }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (notional, price, conviction) => {
          const size: Size = { kind: 'notional', notional };
          const sized = sizeOf(size, facts({ price, conviction }));
          if (sized.kind === 'unsized') return;
          const wanted = (notional / price) * conviction;
          const quantity = numberFromFixed(sized.quantity);
          expect(quantity).toBeLessThanOrEqual(wanted + 2e-9);
          expect(quantity).toBeGreaterThan(wanted - 0.001 - 1e-9);
        },
      ),
    );
  });
});

describe('the size of a command line', () => {
  it.each(['notional', 'equity_pct', 'risk_pct', 'volatility_pct', 'quantity'])(
    'a size of %s is that of the configuration file',
    (kind) => {
      const size = sizeFromText(kind, '12.5');
      expect(size).toBeDefined();
      expect(size).toEqual(sizeSchema.parse({ [kind]: '12.5' }));
    },
  );

  it.each([
    ['notionel', '5'],
    ['on_limit', 'cap'],
    ['lookback', '10'],
    ['notional', '1e3'],
    ['notional', '-5'],
    ['notional', '0'],
    ['risk_pct', '101'],
    ['quantity', '0.1234567890123456789'],
    ['toString', '5'],
  ])('%s=%s is no size', (kind, text) => {
    expect(sizeFromText(kind, text)).toBeUndefined();
    expect(sizeSchema.safeParse({ [kind]: text }).success).toBe(false);
  });
});

describe('the size setting', () => {
  it('a quantity keeps its digits', () => {
    expect(sizeSchema.parse({ quantity: '0.12345678' })).toEqual({
      kind: 'quantity',
      quantity: fixedFromText('0.12345678'),
    });
  });

  it.each([
    [{}, /exactly one of/],
    [{ notional: '1', quantity: '1' }, /exactly one of/],
    [{ notional: '1e3' }, /plain decimal above 0/],
    [{ notional: '-5' }, /plain decimal above 0/],
    [{ notional: 0 }, /plain decimal above 0/],
    [{ quantity: '0.1234567890123456789' }, /more than 18 decimal places/],
    [{ risk_pct: 101 }, /at most 100/],
    [{ notionel: 5 }, /notionel/],
  ])('the size setting refuses %o', (given, message) => {
    const parsed = sizeSchema.safeParse(given);
    expect(parsed.error?.message).toMatch(message);
  });
});
