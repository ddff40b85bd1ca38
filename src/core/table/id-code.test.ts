import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codeOfId, idOfCode } from './id-code.js';

it('the id of a code is the id that it was made of', () => {
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  fc.assert(
    fc.property(letter, fc.nat({ max: 99_999_999_999_999 }), (first, number) => {
      const id = `${first}${number}`;
      const code = codeOfId(id);
      expect(Number.isSafeInteger(code)).toBe(true);
      expect(idOfCode(code)).toBe(id);
    }),
  );
});

it('two ids never share a code', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab019'), maxLength: 16 });
  fc.assert(
    fc.property(text, (id) => {
      const code = codeOfId(id);
      if (!Number.isNaN(code)) expect(idOfCode(code)).toBe(id);
    }),
    { numRuns: 2_000 },
  );
});

it.each(['', 'b', '7', 'b07', 'B7', 'b-7', 'b7 ', 'ab7', 'b123456789012345', '{7', '`7'])(
  '%o has no code',
  (id) => {
    expect(codeOfId(id)).toBeNaN();
  },
);
