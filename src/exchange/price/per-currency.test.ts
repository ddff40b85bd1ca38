import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CURRENCIES, type Currency } from '../../core/currency.js';
import { PerCurrency } from './per-currency.js';

it('it holds what a map holds, in the same order, under any changes', () => {
  const step = fc.record({
    currency: fc.constantFrom(...CURRENCIES),
    value: fc.option(fc.nat(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const [values, model] = [new PerCurrency<number>(), new Map<Currency, number>()];
      for (const { currency, value } of steps) {
        if (value === undefined) {
          values.delete(currency);
          model.delete(currency);
        } else {
          values.set(currency, value);
          model.set(currency, value);
        }
        expect(values.size).toBe(model.size);
        expect(values.values()).toEqual([...model.values()]);
        for (const each of CURRENCIES) {
          expect(values.get(each)).toBe(model.get(each));
          expect(values.has(each)).toBe(model.has(each));
        }
      }
    }),
  );
});
