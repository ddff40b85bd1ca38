import { describe, expect, test } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { exactNumber, wireJson } from './wire-json.js';

describe('JSON on the wire', () => {
  test.each([
    ['90071992.54740991', '90071992.54740991'],
    ['0.00000001', '0.00000001'],
    ['-12.50', '-12.5'],
    ['0', '0'],
  ])('the ledger’s %s is written as the number %s, to the last place', (text, written) => {
    expect(wireJson({ value: exactNumber(fixedFromText(text)) })).toBe(`{"value":${written}}`);
  });

  test('a table of numbers is written as each number alone', () => {
    const cells = [1_704_067_200, 0.1, -0, 1e-7, 1e21, NaN, Infinity];
    const written = cells.map((cell) => wireJson(cell)).join(',');
    expect(wireJson({ rows: [cells, []] })).toBe(`{"rows":[[${written}],[]]}`);
  });

  test('keys keep their order, texts are escaped, and undefined members are omitted', () => {
    const value = { b: 'a"b', a: null, gone: undefined, list: [1, true, { x: 'é' }] };
    expect(wireJson(value)).toBe('{"b":"a\\"b","a":null,"list":[1,true,{"x":"é"}]}');
  });
});
