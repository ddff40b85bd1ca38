import Table from 'cli-table3';
import picocolors from 'picocolors';
import { oneLine } from '../../core/terminal-text.js';

/** A record of texts and numbers, as `--json` prints it. */
export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly key: string;
  /** Default: the key, in words. */
  readonly head?: string;
  /** Numbers stand on the right. */
  readonly right?: boolean;
}

/** Rows for a person; what is absent is a dash. */
export function rowsTable(
  rows: readonly Row[],
  columns: readonly Column[],
  colour: boolean,
): string {
  const colours = picocolors.createColors(colour);
  const table = new Table({
    head: columns.map(({ key, head }) => colours.bold(head ?? key.replaceAll('_', ' '))),
    colAligns: columns.map(({ right }) => (right === true ? 'right' : 'left')),
    // cli-table3 would colour heads and borders itself, whatever the terminal.
    style: { head: [], border: [] },
  });
  for (const row of rows) table.push(columns.map(({ key }) => cell(row[key], colours)));
  return table.toString();
}

function cell(value: unknown, colours: ReturnType<typeof picocolors.createColors>): string {
  if (value === undefined || value === null || value === '') return '–';
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  if (LONG.test(text) || text === 'buy') return colours.green(text);
  if (SHORT.test(text) || text === 'sell') return colours.red(text);
  return text;
}

const LONG = /^(long|filled|completed|placed|done)$/;
const SHORT = /^(short|liquidated|rejected|refused)$/;
