import { COLUMN_NAMES, type Rows } from '../columns.js';
import type { Dataset, DatasetKind } from '../dataset.js';
import { decimalText } from './decimal-text.js';

const HOUR_MS = 3_600_000;
/** Names in the exported files; the interval of funding is in hours, as in the archives of Binance. */
export const EXPORT_NAMES: Readonly<Record<DatasetKind, readonly string[]>> = {
  ...COLUMN_NAMES,
  funding: ['time', 'rate', 'funding_interval_hours'],
};
/** Rows of one piece of text. */
const ROWS_PER_PIECE = 10_000;

/**
 * The rows as CSV with a header, LF. Times are ms UTC. A number is the shortest decimal that reads back as its
 * double.
 */
export function csvOf(dataset: Dataset, rows: Rows): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = [encoder.encode(`${EXPORT_NAMES[dataset.kind].join(',')}\n`)];
  const columns = exportColumns(dataset, rows);
  for (let from = 0; from < rows[0].length; from += ROWS_PER_PIECE) {
    const to = Math.min(rows[0].length, from + ROWS_PER_PIECE);
    let text = '';
    for (let row = from; row < to; row += 1) {
      text += `${columns.map((column) => decimalText(column[row] as number)).join(',')}\n`;
    }
    pieces.push(encoder.encode(text));
  }
  return Buffer.concat(pieces);
}

/** The columns in the units of an exported file. */
export const exportColumns = (dataset: Dataset, rows: Rows): readonly Float64Array[] =>
  dataset.kind === 'funding'
    ? rows.map((column, index) => (index === 2 ? column.map((ms) => ms / HOUR_MS) : column))
    : rows;
