import { expect, test } from 'vitest';
import { Lz4Error, unpackLz4 } from './lz4-frame.js';

const HEAD = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
const block = (...bytes: readonly number[]): readonly number[] => [bytes.length, 0, 0, 0, ...bytes];
const frame = (...bytes: readonly number[]): Uint8Array =>
  Uint8Array.from([...HEAD, ...bytes, 0, 0, 0, 0]);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const [a, b, c] = [97, 98, 99];

test('literals, an overlapping match and a match into the block before are unpacked', () => {
  const first = block(0x35, a, b, c, 3, 0, 0x10, c);
  const second = block(0x00, 4, 0, 0x10, a);
  expect(text(unpackLz4(frame(...first, ...second)))).toBe(
    'abc' + 'abcabcabc' + 'c' + 'abcc' + 'a',
  );
});

test('a stored block is copied', () => {
  expect(text(unpackLz4(frame(3, 0, 0, 0x80, a, b, c)))).toBe('abc');
});

test.each([
  ['no frame', Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])],
  ['a frame without its end', frame(...block(0x30, a, b, c)).subarray(0, 15)],
  ['a match before the beginning', frame(...block(0x10, a, 9, 0, 0x10, a))],
  ['more literals than the block holds', frame(...block(0x50, a, b))],
])('%s is refused', (_, bytes) => {
  expect(() => unpackLz4(bytes)).toThrow(Lz4Error);
});
