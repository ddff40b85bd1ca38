import { styled } from '../../core/terminal-text.js';
import type { Io } from '../command-options.js';
import type { Column, Row } from './rows-table.js';

/** Whether what a person reads may be coloured: NO_COLOR says no. */
const coloured = (io: Io): boolean => io.isTerminal && io.env['NO_COLOR'] === undefined;

/** `--json`: one line, alone on standard output. */
export function printJson(io: Io, value: unknown): void {
  io.stdout(`${JSON.stringify(value)}\n`);
}

/** A table with a word where it is empty. The library is loaded only here. */
export async function printRows(
  io: Io,
  rows: readonly Row[],
  { columns, none }: { readonly columns: readonly Column[]; readonly none: string },
): Promise<void> {
  if (rows.length === 0) {
    io.stdout(`${none}\n`);
    return;
  }
  const { rowsTable } = await import('./rows-table.js');
  io.stdout(styled(`${rowsTable(rows, columns, coloured(io))}\n`));
}

/** One record, a line a field. */
export async function printRecord(io: Io, record: Row, title?: string): Promise<void> {
  const { summaryTable } = await import('../../report/summary-table.js');
  const plain = Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, plainValue(value)]),
  );
  const table = summaryTable(plain, {
    colour: coloured(io),
    ...(title !== undefined && { title }),
  });
  io.stdout(styled(`${table}\n`));
}

const plainValue = (value: unknown): string | number | boolean | null | undefined =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null | undefined);
