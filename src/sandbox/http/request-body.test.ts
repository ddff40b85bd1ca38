import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBody } from './request-body.js';
import { toFixedForChecks, transferAmount, parseDecimal } from './request-fields.js';
import {
  absolute,
  fixed,
  fixedFromText,
  isGreater,
  textFromFixed,
} from '../../core/fixed/fixed.js';

const decimal = (body: string) => parseDecimal(parseBody(body)?.['n'])?.toFixed();

describe('a body', () => {
  test.each([
    ['an empty text', '', {}],
    ['blanks', ' \n', {}],
    ['an object', '{"a":1,"b":"x","c":null}', { a: 1, b: 'x', c: null }],
    ['a list', '[1]', undefined],
    ['a number', '1', undefined],
    ['null', 'null', undefined],
    ['malformed JSON', '{"a":', undefined],
    ['NaN, which JSON has not', '{"a":NaN}', undefined],
    ['a byte order mark before JSON', '\ufeff{}', undefined],
  ])('a body of %s is parsed', (_name, text, fields) => {
    expect(parseBody(text)).toEqual(fields);
  });

  test('a body nested a million deep is parsed or refused without a crash', () => {
    const deep = `{"a":${'['.repeat(1_000_000)}1e5${']'.repeat(1_000_000)}}`;
    expect(() => parseBody(deep)).not.toThrow();
    expect(parseBody(`${deep}}`)).toBeUndefined();
  });
});

describe('numbers of a body', () => {
  test.each([
    ['1e-3', '0.001'],
    ['1E3', '1000'],
    ['-2.50e+1', '-25'],
    ['0.1', '0.1'],
    ['0.10000000000000000001', '0.10000000000000000001'],
    ['12345678901234567890', '12345678901234567890'],
    ['-0', '0'],
    ['100000000000000000000.5', '100000000000000000000.5'],
  ])('the number %s becomes %s, to the last digit', (number, exact) => {
    expect(decimal(`{"id":"12345678901234567890","n":${number}}`)?.replace(/^-0$/, '0')).toBe(
      exact,
    );
  });

  test('numbers keep their text only where a double would change them', () => {
    expect(parseBody('{"a":0.5,"b":1e-3,"c":"0.1234567890123456789"}')).toEqual({
      a: 0.5,
      b: 0.001,
      c: '0.1234567890123456789',
    });
  });

  test('numbers beyond every exponent stay decimals that can be checked', () => {
    for (const number of ['1e400', '1e999999', '-1e400']) {
      const value = parseDecimal(parseBody(`{"n":${number}}`)?.['n']);
      expect(
        isGreater(
          absolute(toFixedForChecks(value ?? never(), fixed(10))),
          fixedFromText('1000000000000000'),
        ),
      ).toBe(true);
    }
    const tiny = parseDecimal(parseBody('{"n":1e-400}')?.['n']);
    expect(textFromFixed(toFixedForChecks(tiny ?? never(), fixed(10)))).toBe(
      '0.000000000000000001',
    );
  });

  test('parsed numbers equal those of JSON, for any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const text = JSON.stringify(fields);
        expect(parseBody(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('a decimal', () => {
  const others = ['', ' 1', '1e3', 'NaN', 'Infinity', '0x10', '1,5', '.5', true, [1], {}, NaN];
  test.each(others.map((value) => ({ value })))('$value is not a decimal', ({ value }) => {
    expect(parseDecimal(value)).toBeUndefined();
  });
});

describe('transfer amounts', () => {
  test.each([
    ['1.5', '1.5'],
    ['-1.5', '-1.5'],
    ['0.00000001', '0.00000001'],
    ['0', undefined],
    ['0.000000001', undefined],
    ['1.123456789', undefined],
  ])('an amount of %s becomes %s', (text, exact) => {
    const amount = transferAmount(parseDecimal(text) ?? never());
    expect(amount === undefined ? undefined : textFromFixed(amount)).toBe(exact);
  });
});

function never(): never {
  throw new Error('a decimal was expected');
}
