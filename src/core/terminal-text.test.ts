import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LINE_CLEAR,
  LINE_START,
  oneLine,
  printable,
  printableData,
  styled,
  terminalText,
} from './terminal-text.js';

const STEERING = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('printable', () => {
  it.each([
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a\rb\tc', 'a\\rb\\tc'],
    ['\u009b2J\u007f', '\\u009b2J\\u007f'],
    ['\u202egnp\u2066\u200f\u2028', '\\u202egnp\\u2066\\u200f\\u2028'],
    ['tag \u{e0041}', 'tag \\udb40\\udc41'],
    ['two\nlines', 'two\nlines'],
    ['é … “ü” 👩\u200d👧 नमस्ते ₹', 'é … “ü” 👩\u200d👧 नमस्ते ₹'],
  ])('shows %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps a line of JSON the same line of JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = printable(`${JSON.stringify({ text })}\n`);
        expect(JSON.parse(line)).toEqual({ text });
        expect(line).not.toMatch(STEERING);
      }),
    );
  });
});

it('puts every text of plain data on one line', () => {
  const data = { 'a\n': ['b\u001b', 1, null, true, { c: 'd\r' }] };
  expect(printableData(data)).toEqual({ 'a\\n': ['b\\u001b', 1, null, true, { c: 'd\\r' }] });
  expect(oneLine('a\nb')).toBe('a\\nb');
});

describe('what is written to a terminal', () => {
  it('has our own colours and progress, and no other', () => {
    const text = `${styled('\u001b[32mgood\u001b[39m')} \u001b[32mforged ${LINE_START}5 %${LINE_CLEAR}`;
    expect(terminalText(text, { marks: true })).toBe(
      '\u001b[32mgood\u001b[39m \\u001b[32mforged \r5 %\r\u001b[K',
    );
  });

  it('steers nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(terminalText(text, { marks: false })).not.toMatch(STEERING);
      }),
    );
  });

  it('has no mark where it is no terminal', () => {
    expect(terminalText(styled('\u001b[1mx'), { marks: false })).toBe('\\ufdd01\\ufdd1x');
  });
});
