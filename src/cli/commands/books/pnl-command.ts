import { EXIT } from '../../../core/exit-code.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import type { LedgerRow } from '../../../report/books/ledger-row.js';
import { csvText } from '../../../report/books/ledger-text.js';
import type { LocalTime } from '../../../report/books/local-time.js';
import {
  groupRows,
  ledgerTotals,
  totalsRow,
  type BooksTotalsRow,
} from '../../../report/books/owner-books.js';
import type { Column } from '../../../report/rows-table.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import type { Group, PnlOptions } from './books-options.js';
import { readBooks } from './read-books.js';
import { warn, writeNewFile } from './write-books.js';

/** One group in one currency. */
interface PnlRow extends BooksTotalsRow {
  readonly group: string;
  /** By day: net of the UTC day of the same date, by which risk limits count. */
  readonly risk_day_net?: string;
}

const NUMBERS = ['price', 'liquidation', 'fees', 'rebates', 'funding', 'net', 'gst'] as const;

/** Runs `sluice pnl`: a table, CSV in a file, or JSON. */
export async function pnlCommand(options: PnlOptions, io: Io): Promise<number> {
  const { by } = options;
  const { source, time, range, statements, problems } = await readBooks(options, io, false);
  const all = statements.flatMap(({ rows }) => rows);
  const rows = [...groupRows(all.filter(isProfit), ({ currency }) => currency).values()].flatMap(
    (ofCurrency) => rowsBy(by, ofCurrency, time),
  );
  const columns = [by, 'currency', ...NUMBERS, 'fills', ...(by === 'day' ? ['risk_day_net'] : [])];
  const named = rows.map(({ group, ...row }) => ({ [by]: group, ...row }));
  if (options.out !== undefined) await writeNewFile(options.out, csvText(named, columns), io);
  if (options.json) {
    printJson(io, {
      source,
      by,
      tz: time.zone,
      from: instantText(range.from),
      to: instantText(range.to),
      rows: named,
      totals: statements.map(({ currency, rows: each, gap }) => ({
        ...totalsRow(currency, ledgerTotals(each)),
        gap: textFromFixed(gap),
      })),
      problems,
      ...(options.out !== undefined && { out: options.out }),
    });
    return EXIT.done;
  }
  await printRows(io, named, {
    columns: columns.map(columnOf),
    none: 'nothing was traded in this range',
    isDense: true,
  });
  if (by === 'day' && rows.length > 0)
    io.stdout(`days are of ${time.zone}; risk_day_net is of the UTC day, by which limits count\n`);
  warn(problems, io);
  return EXIT.done;
}

const isProfit = ({ kind }: LedgerRow): boolean => kind !== 'transfer' && kind !== 'gap';

const instantText = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

/** @param rows of one currency */
function rowsBy(by: Group, rows: readonly LedgerRow[], time: LocalTime): readonly PnlRow[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { currency } = first;
  const riskDays = by === 'day' ? groupRows(rows, ({ at }) => utcDay(at)) : undefined;
  return [...groupRows(rows, keyOf(by, time))].map(([group, each]) => ({
    group,
    ...totalsRow(currency, ledgerTotals(each)),
    ...(riskDays !== undefined && {
      risk_day_net: textFromFixed(ledgerTotals(riskDays.get(group) ?? []).net),
    }),
  }));
}

const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const keyOf =
  (by: Group, time: LocalTime) =>
  ({ at, owner, symbol }: LedgerRow): string => {
    if (by === 'day') return time.day(at);
    return by === 'strategy' ? owner : (symbol ?? '');
  };

const columnOf = (key: string): Column => ({
  key,
  alignRight: !['day', 'strategy', 'symbol', 'currency'].includes(key),
});
