import picocolors from 'picocolors';
import { oneLine } from '../core/terminal-text.js';
import { terminalTable } from './terminal-table.js';

/** One record of `--json` output. */
export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly key: string;
  /** Default: the key with spaces. */
  readonly head?: string;
  /** For numbers. */
  readonly alignRight?: boolean;
}

/**
 * Rows as a terminal table; absent values are a dash.
 * @param isDense without lines between the rows
 */
export function rowsTable(
  rows: readonly Row[],
  columns: readonly Column[],
  colour: boolean,
  isDense = false,
): string {
  const colours = picocolors.createColors(colour);
  const table = terminalTable({
    head: columns.map(({ key, head }) => colours.bold(head ?? key.replaceAll('_', ' '))),
    colAligns: columns.map(({ alignRight }) => (alignRight === true ? 'right' : 'left')),
    // cli-table3 would colour heads and borders even without a terminal.
    style: { head: [], border: [] },
    ...(isDense && { chars: NO_LINES }),
  });
  for (const row of rows) table.push(columns.map(({ key }) => cell(row[key], colours)));
  return table.toString();
}

const NO_LINES = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };

function cell(value: unknown, colours: ReturnType<typeof picocolors.createColors>): string {
  if (value === undefined || value === null || value === '') return '–';
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  if (GREEN_VALUES.test(text) || text === 'buy') return colours.green(text);
  if (RED_VALUES.test(text) || text === 'sell') return colours.red(text);
  return text;
}

const GREEN_VALUES = /^(long|filled|completed|placed|done)$/;
const RED_VALUES = /^(short|liquidated|rejected|refused)$/;
