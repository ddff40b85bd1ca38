import { CURRENCIES, type Currency } from '../../../core/currency.js';
import { UsageError } from '../../../core/command-errors.js';
import type { JournalRecord } from '../../../execution/journal/journal-record.js';
import { walletReadings } from '../../../live/books/journal-books.js';
import { journalStatement } from '../../../live/books/journal-ledger.js';
import type { ListReader } from '../../../live/books/read-account-lists.js';
import {
  gapProblems,
  readSettled,
  withWantedFills,
  type StatementSource,
} from '../../../live/books/settled-read.js';
import { readJournal } from '../../../live/plan/read-journal.js';
import type { LedgerSource } from '../../../report/books/ledger-csv.js';
import type { LocalTime } from '../../../report/books/local-time.js';
import type { Statement, StatementRange } from '../../../report/books/statement.js';
import { VenueError } from '../../../venue/venue.js';
import type { Io } from '../../command-io.js';
import { findTarget, type OperatorTarget } from '../../operator-target.js';
import { withAccountConnection } from '../account/account-connection.js';
import { readOrThrow } from '../../../venue/read-outcome.js';
import type { BooksOptions } from './books-options.js';
import { rangeOf, zoneOf } from './books-range.js';

export interface Books {
  readonly source: LedgerSource;
  readonly time: LocalTime;
  readonly range: StatementRange;
  /** One a currency. */
  readonly statements: readonly Statement[];
  /** Everything that makes the books less than complete, for people. */
  readonly problems: readonly string[];
}

export const UNCONFIRMED =
  'not confirmed by the venue: every row is a fill as the journal of this bot has it; fees, rebates, funding, ' +
  'transfers, and closes by stops, a liquidation or a person are in no row, only their sum in the gap';

/** Of a paper account. */
export const PAPER =
  'mode: paper: the account is simulated by the bot, so that the lists of the venue are not its books';

/**
 * Reads the books from the venue's lists, or from the journal alone: with `--offline`, and of a paper account.
 * @param withFills reads every fill of each order, one call an order
 * @throws UsageError before anything is read; VenueError when the venue cannot be read
 */
export async function readBooks(options: BooksOptions, io: Io, withFills: boolean): Promise<Books> {
  const time = zoneOf(options.tz);
  const range = rangeOf(options, time);
  if (options.out !== undefined && (await io.files.exists(options.out)))
    throw new UsageError(`${options.out} exists already: name another file with --out`);
  const target = await targetOf(options, io);
  const records = await journalOf(target, io);
  const isPaper = target?.config?.mode === 'paper';
  if (options.offline || isPaper) {
    if (records === undefined)
      throw new UsageError(
        isPaper
          ? `${PAPER}. There is no journal yet: start it with sluice run`
          : '--offline reads the journal, and there is none: name its --state-dir',
      );
    const { problems, ...books } = offlineBooks(options, { records, range, target });
    return { ...books, problems: [...(isPaper ? [PAPER] : []), ...problems], time, range };
  }
  try {
    return { ...(await venueBooks(options, io, { target, range, withFills })), time, range };
  } catch (error) {
    if (!(error instanceof VenueError) || records === undefined) throw error;
    const text = `${error.message}; --offline shows what the journal has, without the venue`;
    throw new VenueError(text, { cause: error });
  }
}

type BooksContent = Pick<Books, 'source' | 'statements' | 'problems'>;

function offlineBooks(
  options: BooksOptions,
  inputs: {
    readonly records: readonly JournalRecord[];
    readonly range: StatementRange;
    readonly target: OperatorTarget | undefined;
  },
): BooksContent {
  const { records, range, target } = inputs;
  const hedgeRate = target?.config?.venue.inrRate?.value;
  const known = { records, range, ...(hedgeRate !== undefined && { hedgeRate }) };
  const statements = currenciesOf(options).map((currency) =>
    journalStatement({ ...known, currency }),
  );
  const isRateMissing =
    hedgeRate === undefined &&
    statements.some(({ currency, rows }) => currency === 'INR' && rows.length > 0);
  const rate =
    'the profit of INR fills counts as 0: without --config there is no venue.inr_rate to convert it';
  return {
    source: 'journal',
    statements,
    problems: [
      UNCONFIRMED,
      ...statements.flatMap((statement) => unreadCosts(statement, records)),
      ...(isRateMissing ? [rate] : []),
    ],
  };
}

/** A warning where the journal has fills after its last reading of the wallet. */
function unreadCosts(
  { currency, rows }: Statement,
  records: readonly JournalRecord[],
): readonly string[] {
  const readAt = walletReadings(records, currency).at(-1)?.at;
  if (rows.every(({ at }) => readAt !== undefined && at <= readAt)) return [];
  if (readAt === undefined)
    return [
      `the journal has no reading of the ${currency} wallet: no balance and no cost is known`,
    ];
  const time = new Date(readAt).toISOString();
  return [
    `the last reading of the ${currency} wallet is of ${time}: the gap and the closing lack the costs and transfers after it`,
  ];
}

function venueBooks(
  options: BooksOptions,
  io: Io,
  inputs: {
    readonly target: OperatorTarget | undefined;
    readonly range: StatementRange;
    readonly withFills: boolean;
  },
): Promise<BooksContent> {
  const { target, range, withFills } = inputs;
  return withAccountConnection(options, io, async ({ api }) => {
    const statements: Statement[] = [];
    const problems: string[] =
      target?.hasJournal !== true ? ['there is no journal: every order counts as external'] : [];
    const source = { ...sourceOf({ api, io, target }), range };
    for (const currency of currenciesOf(options)) {
      const settled = await readSettled(source, currency);
      const read = withFills ? await withWantedFills(settled, source) : settled;
      statements.push(read.statement);
      problems.push(...read.account.problems, ...gapProblems(read.statement));
    }
    return { source: 'venue', statements, problems };
  });
}

/** Of the whole account; progress is shown on a terminal. */
export function sourceOf(inputs: {
  readonly api: ListReader['api'];
  readonly io: Io;
  readonly target: OperatorTarget | undefined;
}): StatementSource {
  const { api, io, target } = inputs;
  const onProgress = (text: string): void => {
    if (io.isTerminal) io.stderr(`sluice: ${text}\n`);
  };
  const reader = { api, read: readOrThrow, onProgress };
  const journal = async (): Promise<readonly JournalRecord[]> =>
    (await journalOf(target, io)) ?? [];
  return { reader, scheduler: io.scheduler, journal, range: {} };
}

/** undefined: there is none. */
async function journalOf(
  target: OperatorTarget | undefined,
  io: Io,
): Promise<readonly JournalRecord[] | undefined> {
  return target?.hasJournal === true ? readJournal(io.files, target.stateDir) : undefined;
}

export const currenciesOf = ({ currency }: BooksOptions): readonly Currency[] =>
  currency === undefined ? CURRENCIES : [currency];

/** undefined: the command names no journal. */
export async function targetOf(
  { stateDir, config }: BooksOptions,
  io: Io,
): Promise<OperatorTarget | undefined> {
  if (stateDir !== undefined) return findTarget({ stateDir }, io);
  return config === undefined ? undefined : findTarget({ config }, io);
}
