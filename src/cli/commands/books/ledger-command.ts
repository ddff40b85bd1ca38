import { EXIT } from '../../../core/exit-code.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import { csvText, ledgerLines, type LedgerLine } from '../../../report/books/ledger-text.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { BooksOptions } from './books-options.js';
import { readBooks } from './read-books.js';
import { warn, writeNewFile } from './write-books.js';

/** In the order of the CSV file. */
const COLUMNS = [
  'time_utc',
  'time_local',
  'kind',
  'currency',
  'amount',
  'balance',
  'owner',
  'symbol',
  'side',
  'quantity',
  'price',
  'value',
  'gst',
  'hedge_rate',
  'order_id',
  'client_order_id',
  'position_id',
  'row_id',
] as const satisfies readonly (keyof LedgerLine)[];

/** Runs `sluice export ledger`: CSV on standard output or into a file, or JSON. */
export async function ledgerCommand(options: BooksOptions, io: Io): Promise<number> {
  const { time, statements, problems } = await readBooks(options, io, true);
  const lines = statements.flatMap((statement) => ledgerLines(statement, time));
  const csv = csvText(lines, COLUMNS);
  if (options.out !== undefined) await writeNewFile(options.out, csv, io);
  if (options.json) {
    printJson(io, {
      tz: time.zone,
      ledgers: statements.map((statement) => ({
        currency: statement.currency,
        opening: textFromFixed(statement.opening),
        closing: textFromFixed(statement.closing),
        gap: textFromFixed(statement.gap),
        opening_from: statement.openingFrom,
        rows: ledgerLines(statement, time).slice(1, -1),
      })),
      problems,
      ...(options.out !== undefined && { out: options.out }),
    });
  } else if (options.out === undefined) io.stdout(csv);
  else io.stdout(`${lines.length} rows in ${options.out}\n`);
  if (!options.json) warn(problems, io);
  return EXIT.done;
}
