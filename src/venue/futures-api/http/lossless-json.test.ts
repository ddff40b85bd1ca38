import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson, type JsonValue } from './lossless-json.js';

/** The result of JSON.parse with numbers as text: an oracle for numbers without exponent. */
const withTexts = (value: unknown): JsonValue => {
  if (typeof value === 'number') return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTexts(item)]));
  }
  return value as JsonValue;
};

const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];
const hasForbiddenKey = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, item]) => FORBIDDEN.includes(key) || hasForbiddenKey(item));

describe('the lossless JSON reader', () => {
  it.each(['12345678.123456789', '9007199254740993', '1e-7', '-0.10', '0', '1E+2'])(
    'the reader keeps every digit of %s',
    (token) => {
      expect(readJson(`{"a":[${token}]}`)).toEqual({ a: [token] });
    },
  );

  it('an id that is kept does not keep the answer that it was read from', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = used();
    const ids = Array.from({ length: 20 }, (_, index) => {
      const rest = `${index}`.padEnd(500_000, 'x');
      const { id } = readJson(`{"id":"order-of-the-venue-${index}","rest":"${rest}"}`) as {
        id: string;
      };
      return id;
    });
    expect(used() - before).toBeLessThan(3_000_000);
    expect(new Set(ids).size).toBe(20);
  });

  it('the reader agrees with JSON.parse on any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!hasForbiddenKey(value));
        expect(readJson(text)).toEqual(withTexts(value));
      }),
    );
  });

  it('any text is read or refused with a SyntaxError', () => {
    const soup = fc.string({ unit: fc.constantFrom(...'{}[]",:0.e-tru\\n\u0001 '), maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(soup, fc.string()), (text) => {
        const standard = attempt(() => JSON.parse(text) as unknown);
        const ours = attempt(() => readJson(text));
        expect(ours).toBe(standard);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keys that would change a prototype are dropped', () => {
    const value = readJson('{"__proto__":{"a":true},"constructor":"x","prototype":"y","b":"c"}');
    expect(Object.keys(value as object)).toEqual(['b']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ['65 levels', '['.repeat(66) + ']'.repeat(66), 'nested deeper than 64'],
    [
      'too many keys',
      `{${Array.from({ length: 10_001 }, (_, key) => `"${key}":1`).join()}}`,
      'more than 10000 keys',
    ],
    ['two values', '1 2', 'more text after the value'],
    ['nothing', '', 'expected a value'],
  ])('the reader refuses %s', (_, text, reason) => {
    expect(() => readJson(text)).toThrow(reason);
  });

  it('a number of absurd length keeps every digit, because its field limits the length', () => {
    expect(readJson(`[${'1'.repeat(5_000)}]`)).toEqual(['1'.repeat(5_000)]);
  });

  it('the reader accepts 64 levels', () => {
    expect(() => readJson('['.repeat(64) + ']'.repeat(64))).not.toThrow();
  });
});

function attempt(read: () => unknown): 'read' | 'refused' {
  try {
    read();
    return 'read';
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused';
    throw error;
  }
}
