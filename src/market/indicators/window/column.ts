import type { Candle } from '../../../core/candle.js';

/** A new column of `length` rows, in shared memory if `other` is. */
export function columnLike(other: Float64Array, length = other.length): Float64Array {
  if (typeof SharedArrayBuffer === 'undefined' || !(other.buffer instanceof SharedArrayBuffer)) {
    return new Float64Array(length);
  }
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}

/**
 * The first row that is not NaN. Rows before it belong to the warm-up of another indicator.
 * @throws RangeError when a later row is not a finite number
 */
export function firstNumberRow(name: string, inputs: Float64Array): number {
  const { length } = inputs;
  let first = 0;
  while (first < length && Number.isNaN(inputs[first])) first++;
  for (let row = first; row < length; row++) {
    const input = inputs[row] as number;
    if (input - input !== 0) throw new RangeError(notFiniteMessage(name, input, row));
  }
  return first;
}

/** Columns of candles, by field. */
export type CandleRows<Field extends keyof Candle> = Readonly<Record<Field, Float64Array>> & {
  readonly length?: number;
};

/**
 * Number of rows of the series. `checkRow` checks their values.
 * @throws RangeError when a column is shorter
 */
export function rowCount<Field extends keyof Candle>(
  name: string,
  rows: CandleRows<Field>,
  fields: readonly Field[],
): number {
  const length = rows.length ?? Math.max(...fields.map((field) => rows[field].length));
  for (const field of fields) {
    const column: Float64Array = rows[field];
    if (column.length < length) {
      throw new RangeError(
        `${name} takes columns of one length: ${field} has ${column.length} rows of ${length}`,
      );
    }
  }
  return length;
}

/**
 * Checks one row as it is read. A separate pass over the columns was measured to cost more than most
 * indicators.
 * @param sum sum of the fields in that row: finite if all of them are
 * @throws RangeError that names the row and the field
 */
export function checkRow<Field extends keyof Candle>(
  name: string,
  sum: number,
  row: number,
  rows: CandleRows<Field>,
  fields: readonly Field[],
): void {
  if (sum - sum === 0) return;
  const field = fields.find((one) => !Number.isFinite(rows[one][row])) ?? (fields[0] as Field);
  throw new RangeError(notFiniteMessage(name, rows[field][row] as number, row, field));
}

const notFiniteMessage = (name: string, input: number, row: number, field?: string): string =>
  `${name} takes finite numbers, not ${input} in row ${row}${field ? ` of ${field}` : ''}`;
