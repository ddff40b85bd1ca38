import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { csvLayout, type CsvLayout } from '../../market/candles/csv-layout.js';
import { plainName } from '../../market/candles/column-names.js';
import type { Table } from './table.js';

/** Names of the columns of funding without a header: as in the archives of Binance, or time and rate alone. */
const UNNAMED: Readonly<Record<number, readonly string[]>> = {
  2: ['time', 'rate'],
  3: ['calc_time', 'funding_interval_hours', 'last_funding_rate'],
};

/**
 * The cells of a CSV file as text. For files of funding, which are small; candles have their own parser.
 * @throws CandleFileError for an empty file, or for a row of another width than the header
 */
export function textTable(
  path: string,
  bytes: Uint8Array,
): { readonly table: Table; readonly layout: CsvLayout } {
  const layout = fundingLayout(path, bytes);
  const cells: string[][] = [];
  const lineOf: number[] = [];
  const lines = new TextDecoder().decode(bytes.subarray(layout.bodyOffset)).split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const row = line.replace(/\r$/, '').split(layout.delimiter);
    const number = layout.linesAbove + index + 1;
    if (row.length !== layout.names.length) {
      throw new CandleFileError(
        `${path}:${number}: the row has ${row.length} of ${layout.names.length} cells; is the file cut off?`,
      );
    }
    cells.push(row);
    lineOf.push(number);
  }
  const columns = layout.names.map((name, at) => ({ name, values: cells.map((row) => row[at]) }));
  const place = (row: number): string => `${path}:${lineOf[row] ?? 1}`;
  return { table: { length: cells.length, columns, place }, layout };
}

/** The layout of a file, with names for the columns of funding without a header. */
function fundingLayout(path: string, bytes: Uint8Array): CsvLayout {
  const isField = (cell: string): boolean => /rate|time|date/.test(plainName(cell));
  const layout = csvLayout(bytes, path, { isField, defaultNames: UNNAMED[2] ?? [] });
  const names = layout.hasHeader ? undefined : UNNAMED[layout.names.length];
  return names === undefined ? layout : { ...layout, names };
}
