import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.js';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('crc32c', () => {
  // RFC 3720, appendix B.4, and the check value of the CRC catalog.
  it.each([
    { name: 'nothing', bytes: new Uint8Array(), expected: 0 },
    { name: '"123456789"', bytes: ascii('123456789'), expected: 0xe3069283 },
    { name: '32 bytes of 0', bytes: new Uint8Array(32), expected: 0x8a9136aa },
    { name: '32 bytes of 0xff', bytes: new Uint8Array(32).fill(0xff), expected: 0x62a8ab43 },
    {
      name: '32 ascending bytes',
      bytes: Uint8Array.from({ length: 32 }, (_, i) => i),
      expected: 0x46dd794e,
    },
    {
      name: '32 descending bytes',
      bytes: Uint8Array.from({ length: 32 }, (_, i) => 31 - i),
      expected: 0x113fdb5c,
    },
  ])('gives the published value of $name', ({ bytes, expected }) => {
    expect(crc32c(bytes)).toBe(expected);
  });

  it('crc32c continues from the result of an earlier part', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (head, tail) => {
        expect(crc32c(tail, crc32c(head))).toBe(crc32c(Uint8Array.from([...head, ...tail])));
      }),
    );
  });
});
