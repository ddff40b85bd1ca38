import { describe, expect, it } from 'vitest';
import { decodeBase, encodeBase, type LogBase } from './log-base.js';

const BASE: LogBase = {
  number: 3,
  replaces: { count: 12, bytes: 3_456, hash: Buffer.from('ab'.repeat(32), 'hex') },
  recordsBefore: 40,
  snapshot: { count: 5, bytes: 678 },
};
type Fields = Record<string, unknown>;
const written = JSON.parse(new TextDecoder().decode(encodeBase(BASE))) as Fields;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const replaces = written['replaces'] as Fields;
const snapshot = written['snapshot'] as Fields;

describe('the base of a compacted log', () => {
  it('a base is one line and is read as it was written', () => {
    const bytes = encodeBase(BASE);
    expect(new TextDecoder().decode(bytes)).toMatch(/^\{[^\n]*\}\n$/);
    expect(written).toEqual({
      base: 1,
      number: 3,
      replaces: { count: 12, bytes: 3_456, hash: 'ab'.repeat(32) },
      recordsBefore: 40,
      snapshot: { count: '0000000000000005', bytes: '0000000000000678' },
    });
    expect(decodeBase(bytes)).toEqual(BASE);
  });

  it('a base has the same length for all sizes', () => {
    const large = { ...BASE, snapshot: { count: 123_456_789, bytes: 9_007_199_254_740_991 } };
    expect(encodeBase(large)).toHaveLength(encodeBase(BASE).length);
    expect(decodeBase(encodeBase(large))).toEqual(large);
  });

  it.each<{ what: string; fields: Fields }>([
    { what: 'of another version', fields: { base: 2 } },
    { what: 'numbered from 0', fields: { number: 0 } },
    { what: 'numbered by halves', fields: { number: 1.5 } },
    { what: 'with a negative number of records', fields: { recordsBefore: -1 } },
    { what: 'with a negative number of bytes', fields: { replaces: { ...replaces, bytes: -1 } } },
    { what: 'with a short hash', fields: { replaces: { ...replaces, hash: 'ab'.repeat(31) } } },
    { what: 'with a long hash', fields: { replaces: { ...replaces, hash: 'ab'.repeat(33) } } },
    {
      what: 'with a hash of other letters',
      fields: { replaces: { ...replaces, hash: 'xy'.repeat(32) } },
    },
    { what: 'with a size that is not padded', fields: { snapshot: { ...snapshot, count: '5' } } },
    {
      what: 'with a size that is padded too far',
      fields: { snapshot: { ...snapshot, bytes: '0'.repeat(17) } },
    },
    {
      what: 'with a size that is not a number',
      fields: { snapshot: { ...snapshot, bytes: 'x'.repeat(16) } },
    },
    { what: 'with an unknown field', fields: { more: 1 } },
    {
      what: 'with an unknown field of its snapshot',
      fields: { snapshot: { ...snapshot, more: 1 } },
    },
    {
      what: 'with an unknown field of its replaced position',
      fields: { replaces: { ...replaces, more: 1 } },
    },
  ])('is not known $what', ({ fields }) => {
    expect(decodeBase(encode(JSON.stringify({ ...written, ...fields })))).toBeUndefined();
  });

  it('a base may be the first of an empty log', () => {
    const first = {
      ...written,
      number: 1,
      recordsBefore: 0,
      replaces: { ...replaces, count: 0, bytes: 0 },
    };
    expect(decodeBase(encode(JSON.stringify(first)))).toMatchObject({
      number: 1,
      recordsBefore: 0,
    });
  });

  it('bytes that are not JSON or not text are no base', () => {
    expect(decodeBase(encode('{'))).toBeUndefined();
    expect(decodeBase(encode(''))).toBeUndefined();
    const bytes = encodeBase(BASE).slice();
    bytes[20] = 0xff;
    expect(decodeBase(bytes)).toBeUndefined();
  });
});
