import { countText } from '../../../core/terminal-text.js';
import { EXIT } from '../../../core/exit-code.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import { ledgerCsv } from '../../../report/books/ledger-csv.js';
import { ledgerLines } from '../../../report/books/ledger-text.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import { archiveLedger } from './archive-ledger.js';
import type { LedgerOptions } from './books-options.js';
import { readBooks } from './read-books.js';
import { warn, writeNewFile } from './write-books.js';

/** Runs `sluice export ledger`: CSV on standard output or into a file, or JSON. */
export async function ledgerCommand(options: LedgerOptions, io: Io): Promise<number> {
  if (options.archive !== undefined) return archiveLedger(options, io);
  const { source, time, statements, problems } = await readBooks(options, io, true);
  const { text: csv, lines } = ledgerCsv(statements, time, source);
  if (options.out !== undefined) await writeNewFile(options.out, csv, io);
  if (options.json) {
    printJson(io, {
      source,
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
  else io.stdout(`${countText(lines, 'row')} in ${options.out}\n`);
  if (!options.json) warn(problems, io);
  return EXIT.done;
}
