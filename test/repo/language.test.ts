import { describe, expect, it } from 'vitest';

interface Rules {
  lineFaults(line: string, isCode: boolean): readonly string[];
  commitFaults(commit: { readonly subject: string; readonly body?: string }): readonly string[];
}
const path = '../../scripts/language/rules.mjs';
const { lineFaults, commitFaults } = (await import(path)) as Rules;

describe('the language check of a line', () => {
  it.each([
    ['// It was told by nobody.', 2],
    ['/** What the venue shows is compared. */', 1],
    ['Whoever trades needs a key.', 2],
    ["throw new Error('the wish was refused');", 1],
  ])('finds the faults of %s', (line, count) => {
    expect(lineFaults(line, /[/;]/.test(line))).toHaveLength(count);
  });

  it.each([
    ['const told = 1;', true],
    ['/** The price of the last trade, USDT. */', true],
    ['// The venue told us so. language-ok: a quotation', true],
    ['What does it cost?', false],
  ])('accepts %s', (line, isCode) => {
    expect(lineFaults(line, isCode)).toEqual([]);
  });
});

describe('the language check of a commit subject', () => {
  it('accepts type, module and an imperative', () => {
    expect(commitFaults({ subject: 'fix(engine): poll orders found during a pause' })).toEqual([]);
  });

  it.each([
    'who makes the order protocol gives it its lanes',
    'fix(engine): Poll orders.',
    `fix(engine): poll ${'orders '.repeat(9)}twice`,
  ])('refuses "%s"', (subject) => {
    expect(commitFaults({ subject })).not.toEqual([]);
  });

  it('accepts a disagreement with its reason', () => {
    expect(commitFaults({ subject: 'Revert it', body: 'language-ok: made by git' })).toEqual([]);
  });
});
