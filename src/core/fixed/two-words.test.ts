import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideHalfEvenBig } from './half-even.js';
import { gainInWords, multiplyDivide } from './two-words.js';

const SCALE = 100_000_000n;
const MAX = Number.MAX_SAFE_INTEGER;
const whole = fc.oneof(
  fc.integer({ min: -MAX, max: MAX }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
  // Multiples of the scale and of its halves: ties.
  fc.integer({ min: -2_000_000, max: 2_000_000 }).map((n) => n * 50_000_000),
  fc.integer({ min: 0, max: 52 }).map((n) => 2 ** n),
);
const divisor = fc.oneof(
  whole.map((n) => Math.abs(n) || 1),
  fc.constant(Number(SCALE)),
);
const options = { numRuns: 20_000 };

describe('arithmetic in two words', () => {
  it('a × b ÷ c equals that of big integers, or is left to them', () => {
    let held = 0;
    fc.assert(
      fc.property(whole, whole, divisor, (a, b, c) => {
        const exact = divideHalfEvenBig(BigInt(a) * BigInt(b), BigInt(c));
        const fast = multiplyDivide(a, b, c);
        if (Number.isNaN(fast)) return;
        held += 1;
        expect(BigInt(fast)).toBe(exact);
        expect(Object.is(fast, -0)).toBe(false);
      }),
      options,
    );
    expect(held).toBeGreaterThan(options.numRuns / 4);
  });

  it('is left to big integers only beyond 2^51', () => {
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        const exact = divideHalfEvenBig(BigInt(a) * BigInt(b), SCALE);
        const fits = (exact < 0n ? -exact : exact) < 2n ** 51n - 1n;
        if (fits) expect(multiplyDivide(a, b, Number(SCALE))).not.toBeNaN();
      }),
      options,
    );
  });

  it.each([
    [1, 50_000_000, 0],
    [3, 50_000_000, 2],
    [-1, 50_000_000, 0],
    [-3, 50_000_000, -2],
    [5, 50_000_000, 2],
    [1, 50_000_001, 1],
  ])('%d × %d in units of 1e-8 is %d: half-even', (a, b, product) => {
    expect(multiplyDivide(a, b, Number(SCALE))).toBe(product);
  });

  it('a gain over an unknown cost is left to big integers', () => {
    expect(gainInWords(1, 1, NaN, NaN, 1)).toBeNaN();
  });

  it('a gain near a half of its last place equals that of big integers', () => {
    const factor = fc.oneof(
      fc.integer({ min: 1, max: 2 ** 26 }),
      fc.integer({ min: 2 ** 35, max: 2 ** 36 }),
    );
    const halves = fc.integer({ min: -3, max: 3 });
    const near = fc.oneof(
      fc.integer({ min: -5_000_000, max: 5_000_000 }),
      fc.integer({ min: -1_000, max: 1_000 }),
    );
    const side = fc.constantFrom(1 as const, -1 as const);
    let sure = 0;
    fc.assert(
      fc.property(factor, factor, halves, near, side, (a, b, half, away, sign) => {
        const product = BigInt(a) * BigInt(b);
        const paid = product - BigInt(half) * (SCALE / 2n) - BigInt(away);
        fc.pre(paid >= 0n);
        const fast = gainInWords(a, b, Number(paid / SCALE), Number(paid % SCALE), sign);
        expect(BigInt(fast)).toBe(divideHalfEvenBig((product - paid) * BigInt(sign), SCALE));
        if (half % 2 === 0) sure += 1;
      }),
      options,
    );
    expect(sure).toBeGreaterThan(5_000);
  });

  it('a gain over a cost far above its value equals that of big integers, also at ties', () => {
    // The sixteenths of a unit are rounded twice at this size, and lead to ties.
    const sixteenth = SCALE / 16n;
    for (const whole of [2n ** 48n, 2n ** 49n, 2n ** 50n])
      for (let part = 0n; part < 32n; part += 1n)
        for (let factor = 1; factor < 64; factor += 1) {
          const paid = whole * SCALE + part * sixteenth;
          const fast = gainInWords(
            Number(sixteenth),
            factor,
            Number(paid / SCALE),
            Number(paid % SCALE),
            1,
          );
          const exact = divideHalfEvenBig(sixteenth * BigInt(factor) - paid, SCALE);
          expect(BigInt(fast)).toBe(exact);
        }
  });

  it('a gain equals that of big integers', () => {
    const cost = fc.bigInt({ min: 0n, max: 2n ** 51n * SCALE - 1n });
    fc.assert(
      fc.property(
        whole,
        whole,
        cost,
        fc.constantFrom(1 as const, -1 as const),
        (a, b, paid, side) => {
          const fast = gainInWords(a, b, Number(paid / SCALE), Number(paid % SCALE), side);
          if (Number.isNaN(fast)) return;
          const exact = divideHalfEvenBig((BigInt(a) * BigInt(b) - paid) * BigInt(side), SCALE);
          expect(BigInt(fast)).toBe(exact);
          expect(Object.is(fast, -0)).toBe(false);
        },
      ),
      options,
    );
  });
});
