import type { Currency } from '../../core/currency.js';
import { add, subtract, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { LedgerRow } from './ledger-row.js';
import { UNATTRIBUTED } from './owner.js';

/** Balance and locked margin of one currency at a time. */
export interface WalletReading {
  /** ms UTC */
  readonly at: number;
  readonly wallet: Amount;
}

export interface StatementRange {
  /** ms UTC, inclusive. Absent: the first row. */
  readonly from?: number;
  /** ms UTC, exclusive. Absent: the closing reading. */
  readonly to?: number;
}

/** Opening + rows = closing, to the last digit: a difference is a row of kind `gap`. */
export interface Statement {
  readonly currency: Currency;
  readonly opening: Amount;
  readonly closing: Amount;
  readonly rows: readonly LedgerRow[];
  /** Change of the wallet that no listed row explains. */
  readonly gap: Amount;
  /**
   * `reading`: the opening follows from a wallet that was read independently of the rows, so that a gap shows.
   * `derived`: no such reading exists, and the opening is the closing less all rows.
   */
  readonly openingFrom: 'reading' | 'derived';
}

const NOTHING = ZERO as Amount;

export interface StatementInputs {
  readonly currency: Currency;
  /** Every row up to the closing reading, oldest first. */
  readonly rows: readonly LedgerRow[];
  /** The wallet after the last row. */
  readonly closing: WalletReading;
  /** An earlier reading of the wallet. Rows of its second count as later. */
  readonly opening?: WalletReading;
  readonly range: StatementRange;
}

/**
 * The statement of a range of time. Wallets at its ends follow from the readings and the rows between. A gap is
 * placed at the start of the range, or at the opening reading where that is later: two readings do not say when
 * between them it came about.
 */
export function statementOf(inputs: StatementInputs): Statement {
  const { currency, rows, closing: last, opening: first, range } = inputs;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  const inRange = rows.filter(({ at }) => at >= from && at < to);
  const closing = subtract(last.wallet, sumOf(rows, to, Number.POSITIVE_INFINITY));
  const explained = sumOf(rows, from, to);
  if (first === undefined || first.at >= to) {
    const opening = subtract(closing, explained);
    return { currency, opening, closing, rows: inRange, gap: NOTHING, openingFrom: 'derived' };
  }
  const opening =
    first.at < from
      ? add(first.wallet, sumOf(rows, first.at, from))
      : subtract(first.wallet, sumOf(rows, from, first.at));
  const gap = subtract(subtract(closing, opening), explained);
  const at = Math.max(first.at, from);
  return {
    currency,
    opening,
    closing,
    rows: gap === 0 ? inRange : withGap(inRange, { at, gap, currency }),
    gap,
    openingFrom: 'reading',
  };
}

/** Of the rows from `from` on, before `to`. */
function sumOf(rows: readonly LedgerRow[], from: number, to: number): Amount {
  let sum = NOTHING;
  for (const { at, amount } of rows) if (at >= from && at < to) sum = add(sum, amount);
  return sum;
}

function withGap(
  rows: readonly LedgerRow[],
  { at, gap, currency }: { readonly at: number; readonly gap: Amount; readonly currency: Currency },
): readonly LedgerRow[] {
  const row: LedgerRow = { at, kind: 'gap', currency, owner: UNATTRIBUTED, amount: gap };
  const next = rows.findIndex((each) => each.at > at);
  return next === -1 ? [...rows, row] : [...rows.slice(0, next), row, ...rows.slice(next)];
}
