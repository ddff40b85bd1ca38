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

  test('keys keep their order, texts are escaped, and undefined members are omitted', () => {
    const value = { b: 'a"b', a: null, gone: undefined, list: [1, true, { x: 'é' }] };
    expect(wireJson(value)).toBe('{"b":"a\\"b","a":null,"list":[1,true,{"x":"é"}]}');
  });
});
