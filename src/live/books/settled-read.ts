import type { Currency } from '../../core/currency.js';
import {
  absolute,
  fixed,
  fixedFromText,
  isAtMost,
  multiply,
  SCALE,
  textFromFixed,
  type Amount,
} from '../../core/fixed/fixed.js';
import type { Scheduler } from '../../core/ports.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { attributedLedger } from '../../report/books/ledger-rows.js';
import type { FilledOrder } from '../../report/books/account-lists.js';
import {
  statementOf,
  type Statement,
  type StatementRange,
  type WalletReading,
} from '../../report/books/statement.js';
import { openingReading, ownersOf, walletReadings } from './journal-books.js';
import {
  readAccountLists,
  withExecutions,
  type AccountRead,
  type ListReader,
} from './read-account-lists.js';

/** Real ms between two reads of lists that do not explain the wallet. Lists were seen 400 ms behind it. */
const LAG_PAUSE_MS = 2_000;
const MAX_READS = 3;

export interface StatementSource {
  readonly reader: ListReader;
  readonly scheduler: Scheduler;
  /** Reads the journal; empty: there is none. */
  readonly journal: () => Promise<readonly JournalRecord[]>;
  readonly range: StatementRange;
}

/** The lists of one currency with the wallet that they explain, and the journal. */
interface BooksRead {
  readonly account: AccountRead;
  readonly records: readonly JournalRecord[];
}

/** A read, and the statement of the range. */
export interface SettledRead extends BooksRead {
  readonly statement: Statement;
}

/**
 * Reads a currency from the venue's lists. The wallet shows a close before the lists do (quirk `read-lag`), so a gap
 * is read again after two seconds: at most three times, or until it is the same twice.
 */
export async function readSettled(
  source: StatementSource,
  currency: Currency,
): Promise<SettledRead> {
  const { reader, scheduler } = source;
  let read = await readOnce(source, currency);
  let statement = statementFrom(read, source.range, currency);
  for (let count = 1; count < MAX_READS && statement.gap !== 0; count += 1) {
    reader.onProgress(`the ${currency} lists do not explain the wallet yet; they are read again`);
    await pause(scheduler);
    read = await readOnce(source, currency);
    const { gap } = statement;
    statement = statementFrom(read, source.range, currency);
    if (statement.gap === gap) break;
  }
  return { ...read, statement };
}

/** The journal comes last: it then has the order of every row, as an order is journaled before it is sent. */
async function readOnce(source: StatementSource, currency: Currency): Promise<BooksRead> {
  const account = await readAccountLists(source.reader, currency);
  return { account, records: await source.journal() };
}

/** Adds every fill of the orders in the range, by one call an order. */
export async function withWantedFills(
  { account, records, statement }: SettledRead,
  source: StatementSource,
): Promise<SettledRead> {
  const { currency } = statement;
  const isWanted = (order: FilledOrder): boolean => isWithin(order, source.range);
  const lists = await withExecutions(source.reader, account.lists, isWanted);
  const filled = { account: { ...account, lists }, records };
  return { ...filled, statement: statementFrom(filled, source.range, currency) };
}

/** @param opening wallet at a time; default: the reading of the journal that suits the range */
export function statementFrom(
  { account: { lists, wallet }, records }: BooksRead,
  range: StatementRange,
  currency: Currency,
  opening?: WalletReading,
): Statement {
  const { rows } = attributedLedger(lists, ownersOf(records));
  const first = opening ?? openingReading(walletReadings(records, currency), rows, range.from);
  return statementOf({
    currency,
    rows,
    closing: { at: Number.POSITIVE_INFINITY, wallet },
    range,
    ...(first !== undefined && { opening: first }),
  });
}

const pause = (scheduler: Scheduler): Promise<void> =>
  new Promise((resolve) => {
    scheduler.after(LAG_PAUSE_MS, resolve);
  });

export function gapProblems(statement: Statement): readonly string[] {
  const { currency, gap, openingFrom, rows } = statement;
  if (gap !== 0 && !isOfCutAmounts(statement))
    return [
      `the ${currency} wallet has a gap of ${textFromFixed(gap)} ${currency}: a row of kind "gap" has what no listed row explains`,
    ];
  return openingFrom === 'reading' || rows.length === 0
    ? []
    : [
        `the ${currency} opening is the closing less all rows: no earlier reading of the wallet is known, so that a gap cannot show`,
      ];
}

/** The venue cuts its rupee amounts to two places (supplement: part 11), but not the wallet. */
function isOfCutAmounts({ currency, gap, rows }: Statement): boolean {
  if (currency !== 'INR') return false;
  const mostCut = multiply(fixed<'quantity'>(rows.length * SCALE), fixedFromText<'price'>('0.01'));
  return isAtMost(absolute(gap), mostCut as Amount);
}

const isWithin = (
  { createdAt = 0, updatedAt = Number.POSITIVE_INFINITY }: FilledOrder,
  { from = 0, to = Number.POSITIVE_INFINITY }: StatementRange,
): boolean => createdAt < to && updatedAt >= from;
