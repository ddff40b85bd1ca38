import { describe, expect, it } from 'vitest';
import { fixedFromText, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { Currency } from '../../core/currency.js';
import type { LedgerRow } from '../../report/books/ledger-row.js';
import { UNATTRIBUTED } from '../../report/books/owner.js';
import { gapProblems } from './settled-read.js';

const problems = (currency: Currency, gap: string, rowCount: number) => {
  const row: LedgerRow = {
    ...{ at: 0, kind: 'fee', currency, owner: UNATTRIBUTED, amount: ZERO as Amount },
  };
  return gapProblems({
    ...{ currency, opening: ZERO as Amount, closing: ZERO as Amount, openingFrom: 'reading' },
    gap: fixedFromText<'USDT'>(gap),
    rows: Array.from({ length: rowCount }, () => row),
  });
};

describe('the problems of a statement', () => {
  it('a gap that the cut rupee amounts of its rows explain is none', () => {
    expect(problems('INR', '-0.033', 4)).toEqual([]);
    expect(problems('INR', '0.04', 4)).toEqual([]);
  });

  it.each([
    ['INR', '-0.041', 4],
    ['INR', '0.01', 0],
    ['USDT', '-0.0001', 4],
  ] as const)('a gap of %s %s over %i rows names its amount', (currency, gap, rows) => {
    expect(problems(currency, gap, rows)).toEqual([
      `the ${currency} wallet has a gap of ${gap} ${currency}: a row of kind "gap" has what no listed row explains`,
    ]);
  });
});
