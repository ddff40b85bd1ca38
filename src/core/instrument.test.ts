import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BTC } from '../../test/support/builders/risk-case.js';
import { Decimal } from './fixed/decimal.js';
import { fixed, numberFromFixed } from './fixed/fixed.js';
import { quantize, quantizePrice } from './instrument.js';

/** Base units at this step, as a number. */
const onto = (value: number, step: number): number =>
  numberFromFixed(quantize(value, { ...BTC, quantityStep: fixed(Math.round(step * 1e8)) }));

describe('quantize', () => {
  it.each([
    [0.3 / 0.1, 1, 3, 'just below a step is that step'],
    [0.29, 0.1, 0.2, 'rounds toward zero'],
    [-0.29, 0.1, -0.2, 'rounds toward zero below 0'],
    [0.1 + 0.2, 0.1, 0.3, 'just above a step is that step'],
    [0.299999999, 0.1, 0.3, 'snaps at a distance of exactly 1e-9'],
    [0.2999999989, 0.1, 0.2, 'does not snap from farther away'],
    [-0.299999999, 0.1, -0.3, 'snaps below 0'],
    [0.0000000009, 0.00000001, 0, 'less than a step is 0'],
    [0.000000009, 0.00000001, 0.00000001, 'snaps to the smallest step'],
    [90_071_992.5, 0.1, 90_071_992.5, 'is exact near the end of the range'],
    [0, 0.001, 0, '0 is 0'],
  ])('%d by a step of %d is %d: %s', (value, step, expected) => {
    expect(onto(value, step)).toBe(expected);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    '%d is refused',
    (value) => {
      expect(() => onto(value, 0.1)).toThrow(RangeError);
    },
  );

  it('every result equals that of decimals', () => {
    const step = fc.constantFrom(1, 10, 125, 1_000, 100_000, 100_000_000, 7, 333, 10_000_000_000);
    const near = fc.record({
      steps: fc.integer({ min: -1_000_000, max: 1_000_000 }),
      // Units of 1e-8: around the half, the tolerance of 0.1, and the error of a double.
      off: fc.constantFrom(0, 0.1, -0.1, 0.09999999999, 0.10000000001, -0.5, 0.5, 1e-7, -1e-12),
    });
    const value = fc.oneof(
      fc.double({ noNaN: true, min: -80_000_000, max: 80_000_000 }),
      fc.tuple(near, step).map(([{ steps, off }, by]) => (steps * by + off) / 1e8),
    );
    fc.assert(
      fc.property(value, step, (number, by) => {
        const quantityStep = fixed<'quantity'>(by);
        fc.pre(Math.abs(number) * 1e8 + by < Number.MAX_SAFE_INTEGER);
        const found = quantize(number, { ...BTC, quantityStep });
        expect(found).toBe(exactly(number, by));
      }),
      { numRuns: 20_000 },
    );
  });
});

/** quantize by its definition, in decimals. `step` and the result are in units of 1e-8. */
function exactly(value: number, step: number): number {
  const scaled = new Decimal(value.toString()).times(1e8);
  const below = scaled.div(step).floor().times(step);
  const nearest = [below, below.plus(step)].find((each) => each.minus(scaled).abs().lte(0.1));
  const result = nearest ?? (scaled.isNegative() ? below.plus(step) : below);
  return result.toNumber() === 0 ? 0 : result.toNumber();
}

describe('quantizePrice', () => {
  const at = (value: number, direction: 'down' | 'up' | 'nearest'): number =>
    numberFromFixed(quantizePrice(value, { ...BTC, priceStep: fixed(50_000_000) }, direction));

  it.each([
    [100.6, 'down', 100.5],
    [100.6, 'up', 101],
    [100.6, 'nearest', 100.5],
    [100.75, 'nearest', 101],
    [100.5, 'up', 100.5],
    [100.49999999999, 'up', 100.5],
    [100.49999999999, 'down', 100.5],
  ] as const)('%d rounded %s is %d', (value, direction, expected) => {
    expect(at(value, direction)).toBe(expected);
  });
});
