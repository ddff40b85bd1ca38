import { StartError, UsageError } from '../../../core/command-errors.js';
import { readJournal } from '../../../live/plan/read-journal.js';
import { profitStatuses } from '../../../live/status/strategy-profit.js';
import type { ProfitSource, StatusReport } from '../../../live/status/status-report.js';
import { VenueError } from '../../../venue/venue.js';
import type { Io } from '../../command-io.js';
import type { OperatorTarget } from '../../operator-target.js';
import type { BooksOptions } from '../books/books-options.js';
import { readBooks, type Books } from '../books/read-books.js';
import { warn } from '../books/write-books.js';
import { configOfState } from '../kill/config-of-state.js';

/**
 * Adds the profit of each strategy, from the lists of the venue. Its requests share the limits of the key. While the
 * venue cannot be read it is that of the journal, with its age.
 * @throws UsageError where no configuration is known
 */
export async function withProfit(
  report: StatusReport,
  { stateDir, config: named }: OperatorTarget,
  io: Io,
): Promise<StatusReport> {
  const config = named ?? (await configOfState(stateDir, io.files));
  if (config === undefined)
    throw new UsageError(`${stateDir} names no configuration: give it with --config`);
  const currency = config.venue.tradeCurrency;
  const options = { config: config.path, currency, tz: 'UTC', json: true, debug: false } as const;
  const now =
    report.running && report.venue_time !== null ? Date.parse(report.venue_time) : io.clock.utcMs();
  const { statements, problems, source } = await booksOf(options, stateDir, now, io);
  warn(problems, io);
  const rows = statements.flatMap((statement) => statement.rows);
  const unrealised = new Map(report.strategies.map((each) => [each.id, each.unrealised_pnl]));
  return { ...report, profit: profitStatuses(rows, now, unrealised), profit_source: source };
}

type ProfitBooks = Pick<Books, 'statements' | 'problems'> & { readonly source: ProfitSource };

async function booksOf(
  options: Omit<BooksOptions, 'offline'>,
  stateDir: string,
  now: number,
  io: Io,
): Promise<ProfitBooks> {
  try {
    const books = await readBooks({ ...options, offline: false }, io, false);
    if (books.source === 'venue')
      return { ...books, source: { from: 'venue', age_ms: 0, error: null } };
    return { ...books, source: await journalSource(stateDir, now, null, io) };
  } catch (error) {
    if (!(error instanceof VenueError || error instanceof StartError)) throw error;
    const { statements, problems } = await readBooks({ ...options, offline: true }, io, false);
    // The advice of the outer error, `--offline`, is an option of other commands.
    const { message } = error.cause instanceof VenueError ? error.cause : error;
    const text = `${message}; the profit is that of the journal`;
    return {
      statements,
      problems: [text, ...problems],
      source: await journalSource(stateDir, now, message, io),
    };
  }
}

/** @param error why the venue was not read; null: it has no part in the account */
async function journalSource(
  stateDir: string,
  now: number,
  error: string | null,
  io: Io,
): Promise<ProfitSource> {
  const records = (await readJournal(io.files, stateDir)) ?? [];
  const age = Math.max(0, now - (records.at(-1)?.venueTime ?? now));
  return { from: 'journal', age_ms: age, error };
}
