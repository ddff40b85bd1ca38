import { join } from 'node:path';
import { UsageError } from '../../../core/command-errors.js';
import type { Currency } from '../../../core/currency.js';
import { EXIT } from '../../../core/exit-code.js';
import {
  LEDGER_FOLDER,
  LedgerArchive,
  type ArchiveDay,
} from '../../../live/books/ledger-archive.js';
import {
  gapProblems,
  readSettled,
  statementFrom,
  withWantedFills,
  type SettledRead,
  type StatementSource,
} from '../../../live/books/settled-read.js';
import type { LocalTime } from '../../../report/books/local-time.js';
import type { Statement } from '../../../report/books/statement.js';
import type { Io } from '../../command-io.js';
import type { OperatorTarget } from '../../operator-target.js';
import { withAccountConnection } from '../account/account-connection.js';
import { printJson } from '../account/print.js';
import type { LedgerOptions } from './books-options.js';
import { zoneOf } from './books-range.js';
import { currenciesOf, PAPER, sourceOf, targetOf } from './read-books.js';
import { warn } from './write-books.js';

/**
 * Runs `sluice export ledger --archive`: a CSV file for each finished day of the zone that has none, oldest first.
 * The opening of a day is the closing in the file of the day before, so that the files add up over missed days.
 * @throws UsageError, VenueError
 */
export async function archiveLedger(options: LedgerOptions, io: Io): Promise<number> {
  const { from, to, out, currency, offline } = options;
  if (offline || [from, to, out, currency].some((each) => each !== undefined))
    throw new UsageError(
      '--archive writes whole days of both currencies: leave out --from, --to, --out, --currency and --offline',
    );
  const time = zoneOf(options.tz);
  const target = await targetOf(options, io);
  if (target?.config?.mode === 'paper') throw new UsageError(`${PAPER}, and nothing is archived`);
  const folder = folderOf(options, target, time);
  const archive = new LedgerArchive({ files: io.files, folder, time });
  const isSandbox = target?.config?.mode === 'sandbox';
  const { written, problems } = await withAccountConnection(options, io, async ({ api }) => {
    const source = sourceOf({ api, io, target });
    const reads: SettledRead[] = [];
    for (const currency of currenciesOf(options)) reads.push(await readSettled(source, currency));
    return writeDays(archive, source, reads, endOf(reads, io, isSandbox));
  });
  if (options.json) {
    printJson(io, { tz: time.zone, folder, written, problems });
    return EXIT.done;
  }
  const days = written.length === 0 ? 'no finished day was missing' : `wrote ${written.join(', ')}`;
  io.stdout(`${folder}: ${days}\n`);
  warn(problems, io);
  return EXIT.done;
}

const CONFIG_FILE = /\.ya?ml$/;

/** A zone has a folder of its own: days of two zones overlap. */
function folderOf(
  { archive }: LedgerOptions,
  target: OperatorTarget | undefined,
  { zone }: LocalTime,
): string {
  if (typeof archive === 'string' && CONFIG_FILE.test(archive))
    throw new UsageError(
      `--archive takes a folder, and ${archive} is a configuration: sluice export ledger ${archive} --archive`,
    );
  const base =
    typeof archive === 'string'
      ? archive
      : target === undefined
        ? undefined
        : join(target.stateDir, LEDGER_FOLDER);
  if (base !== undefined) return join(base, zone.replaceAll('/', '-'));
  throw new UsageError('--archive needs a folder, or the state folder of --config or --state-dir');
}

/** ms UTC by which a day has ended. A sandbox has a clock of its own: there the newest row is the time. */
function endOf(reads: readonly SettledRead[], io: Io, isSandbox: boolean): number {
  if (!isSandbox) return io.clock.utcMs();
  return Math.max(0, ...reads.flatMap(({ statement }) => statement.rows.at(-1)?.at ?? []));
}

async function writeDays(
  archive: LedgerArchive,
  source: StatementSource,
  reads: readonly SettledRead[],
  endedBy: number,
): Promise<{ readonly written: readonly string[]; readonly problems: readonly string[] }> {
  const starts = reads.flatMap(({ statement }) => statement.rows[0]?.at ?? []);
  const firstRowAt = starts.length === 0 ? undefined : Math.min(...starts);
  const days = await archive.missingDays(firstRowAt, endedBy);
  const problems = reads.flatMap((read) => read.account.problems);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { written: [], problems };
  const range = { from: first.from, to: last.to };
  const filled: SettledRead[] = [];
  for (const read of reads) filled.push(await withWantedFills(read, { ...source, range }));
  const written: string[] = [];
  for (const day of days) {
    const statements: Statement[] = [];
    for (const read of filled) statements.push(await statementOfDay(archive, read, day));
    if (await archive.write(day, statements)) written.push(day.day);
    const gaps = statements.filter(({ gap }) => gap !== 0).flatMap(gapProblems);
    problems.push(...gaps.map((text) => `${day.day}: ${text}`));
  }
  return { written, problems };
}

async function statementOfDay(
  archive: LedgerArchive,
  read: SettledRead,
  day: ArchiveDay,
): Promise<Statement> {
  const currency: Currency = read.statement.currency;
  const opening = await archive.openingOf(day, currency);
  const { from, to } = day;
  return statementFrom(read, { from, to }, currency, opening);
}
