import { CandleFileError } from '../../market/candles/candle-file-error.js';
import { CANDLE_FIELDS } from '../../market/candles/column-names.js';
import type { Table } from './table.js';

type Row = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Rows of JSON: an array of arrays `[time, open, high, low, close, volume, …]`, as CCXT and freqtrade write, or an
 * array of objects. A number is the double nearest to its text.
 * @throws CandleFileError for other JSON, and for JSON that is cut off
 */
export function jsonTable(path: string, bytes: Uint8Array): Table {
  const rows = rowsOf(path, parsed(path, bytes));
  const [first] = rows;
  const place = (row: number): string => `${path}: row ${row + 1}`;
  if (first === undefined) throw new CandleFileError(`${path}: it holds no row; fetch it again`);
  checkShapes(rows, Array.isArray(first), place);
  const names = Array.isArray(first)
    ? first.map((_: unknown, at) => CANDLE_FIELDS[at] ?? `column ${at + 1}`)
    : Object.keys(first);
  const columns = names.map((name, at) => ({
    name,
    values: rows.map((row) =>
      Array.isArray(row) ? row[at] : (row as Record<string, unknown>)[name],
    ),
  }));
  return { length: rows.length, columns, place };
}

function parsed(path: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CandleFileError(
      `${path}: it is no valid JSON (${reason.slice(0, 120)}); is it cut off? Fetch it again`,
      { cause },
    );
  }
}

function rowsOf(path: string, value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value as readonly Row[];
  throw new CandleFileError(
    `${path}: it is no list of candles; write [[ms, open, high, low, close, volume], …] as CCXT does`,
  );
}

function checkShapes(rows: readonly Row[], isList: boolean, place: (row: number) => string): void {
  const odd = rows.findIndex(
    (row) => typeof row !== 'object' || row === null || Array.isArray(row) !== isList,
  );
  if (odd < 0) return;
  const form = isList ? '[ms, open, high, low, close, volume]' : 'an object as in row 1';
  throw new CandleFileError(`${place(odd)} is not ${form}: repair or drop the row`);
}
