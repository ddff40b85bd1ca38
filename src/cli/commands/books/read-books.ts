import { CURRENCIES, type Currency } from '../../../core/currency.js';
import { UsageError } from '../../../core/command-errors.js';
import { instantFromText } from '../../../core/time-text.js';
import type { JournalRecord } from '../../../execution/journal/journal-record.js';
import { openingReading, ownersOf, walletReadings } from '../../../live/books/journal-books.js';
import { readAccountLists, withExecutions } from '../../../live/books/read-account-lists.js';
import { readJournal } from '../../../live/plan/read-journal.js';
import { attributedLedger } from '../../../report/books/ledger-rows.js';
import { LocalTime } from '../../../report/books/local-time.js';
import {
  statementOf,
  type Statement,
  type StatementRange,
} from '../../../report/books/statement.js';
import type { Io } from '../../command-io.js';
import { findTarget } from '../../operator-target.js';
import { readOrThrow, withAccountConnection } from '../account/account-connection.js';
import type { BooksOptions } from './books-options.js';

export interface Books {
  readonly time: LocalTime;
  readonly range: StatementRange;
  /** One a currency. */
  readonly statements: readonly Statement[];
  /** Everything that makes the books less than complete, for people. */
  readonly problems: readonly string[];
}

const DAY_MS = 86_400_000;

/**
 * Reads the books from the venue's lists. @param withFills reads every fill of each order, one call an order
 * @throws UsageError before anything is read
 */
export async function readBooks(options: BooksOptions, io: Io, withFills: boolean): Promise<Books> {
  const time = zoneOf(options.tz);
  const range = rangeOf(options, time);
  if (options.out !== undefined && (await io.files.exists(options.out)))
    throw new UsageError(`${options.out} exists already: name another file with --out`);
  const records = await journalOf(options, io);
  const owners = ownersOf(records ?? []);
  const progress = (text: string): void => {
    if (io.isTerminal) io.stderr(`sluice: ${text}\n`);
  };
  return withAccountConnection(options, io, async ({ api }) => {
    const statements: Statement[] = [];
    const problems: string[] =
      records === undefined ? ['there is no journal: every order counts as external'] : [];
    const reader = { api, read: readOrThrow, onProgress: progress };
    for (const currency of options.currency === undefined ? CURRENCIES : [options.currency]) {
      const account = await readAccountLists(reader, currency);
      const lists = withFills
        ? await withExecutions(reader, account.lists, (order) => isWithin(order, range))
        : account.lists;
      const { rows } = attributedLedger(lists, owners);
      const readings = walletReadings(records ?? [], currency);
      const opening = openingReading(readings, rows, range.from);
      const statement = statementOf({
        currency,
        rows,
        closing: { at: Number.POSITIVE_INFINITY, wallet: account.wallet },
        range,
        ...(opening !== undefined && { opening }),
      });
      statements.push(statement);
      problems.push(...account.problems, ...gapProblems(statement, currency));
    }
    return { time, range, statements, problems };
  });
}

function gapProblems({ gap, openingFrom, rows }: Statement, currency: Currency): readonly string[] {
  if (gap !== 0)
    return [
      `the ${currency} wallet has a gap: a row of kind "gap" has what no listed row explains`,
    ];
  return openingFrom === 'reading' || rows.length === 0
    ? []
    : [
        `the ${currency} opening is the closing less all rows: no earlier reading of the wallet is known, so that a gap cannot show`,
      ];
}

const isWithin = (
  {
    createdAt = 0,
    updatedAt = Number.POSITIVE_INFINITY,
  }: { createdAt?: number; updatedAt?: number },
  { from = 0, to = Number.POSITIVE_INFINITY }: StatementRange,
): boolean => createdAt < to && updatedAt >= from;

/** undefined: the command names no journal. */
async function journalOf(
  { stateDir, config }: BooksOptions,
  io: Io,
): Promise<readonly JournalRecord[] | undefined> {
  const named = stateDir === undefined ? config : stateDir;
  if (named === undefined) return undefined;
  const target = await findTarget(stateDir === undefined ? { config: named } : { stateDir }, io);
  return target.hasJournal ? readJournal(io.files, target.stateDir) : undefined;
}

function zoneOf(zone: string): LocalTime {
  try {
    return new LocalTime(zone);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const text = `--tz ${zone}: there is no such time zone; it is a name such as Asia/Kolkata or UTC`;
    throw new UsageError(text, { cause });
  }
}

function rangeOf({ from, to }: BooksOptions, time: LocalTime): StatementRange {
  const first = from === undefined ? undefined : instantOf('--from', from, time, 0);
  const last = to === undefined ? undefined : instantOf('--to', to, time, 1);
  if (first !== undefined && last !== undefined && first >= last)
    throw new UsageError(`--from ${from ?? ''} is not before --to ${to ?? ''}: exchange them`);
  return {
    ...(first !== undefined && { from: first }),
    ...(last !== undefined && { to: last }),
  };
}

/** @param days days to add to the start of a day */
function instantOf(name: string, text: string, time: LocalTime, days: number): number {
  const start = time.dayStart(text);
  if (start !== undefined && days === 0) return start;
  if (start !== undefined) {
    // A day of a zone may have 23 or 25 hours.
    return time.dayStart(time.day(start + DAY_MS + DAY_MS / 8)) ?? start + DAY_MS;
  }
  const instant = instantFromText(text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    `${name} ${text}: expected a day such as 2025-05-05 or a UTC time such as 2025-05-05T00:00:00Z`,
  );
}
