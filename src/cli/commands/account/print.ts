import { styled } from '../../../core/terminal-text.js';
import { usesColour, type Io } from '../../command-io.js';
import type { Column, Row } from '../../../report/rows-table.js';

/** Prints the `--json` result as one line. */
export function printJson(io: Io, value: unknown): void {
  io.stdout(`${JSON.stringify(value)}\n`);
}

/** Prints a table, or `none` without rows. Loads the table library on first use. */
export async function printRows(
  io: Io,
  rows: readonly Row[],
  {
    columns,
    none,
    isDense = false,
  }: {
    readonly columns: readonly Column[];
    readonly none: string;
    /** For long tables: no lines between the rows. */
    readonly isDense?: boolean;
  },
): Promise<void> {
  if (rows.length === 0) {
    io.stdout(`${none}\n`);
    return;
  }
  const { rowsTable } = await import('../../../report/rows-table.js');
  io.stdout(styled(`${rowsTable(rows, columns, usesColour(io), isDense)}\n`));
}

/** Prints one record, one line a field. */
export async function printRecord(io: Io, record: Row, title?: string): Promise<void> {
  const { summaryTable } = await import('../../../report/summary-table.js');
  const plain = Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, displayValue(value)]),
  );
  const table = summaryTable(plain, {
    colour: usesColour(io),
    ...(title !== undefined && { title }),
  });
  io.stdout(styled(`${table}\n`));
}

const displayValue = (value: unknown): string | number | boolean | null | undefined =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null | undefined);
