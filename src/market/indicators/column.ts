import type { Candle } from '../../core/candle.js';

/** A column beside `other`, `length` rows long: in shared memory if `other` is. */
export function columnBeside(other: Float64Array, length = other.length): Float64Array {
  if (typeof SharedArrayBuffer === 'undefined' || !(other.buffer instanceof SharedArrayBuffer)) {
    return new Float64Array(length);
  }
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}

/**
 * The first row that holds a number; rows before it are not yet known.
 * @throws RangeError when a row after it does not, or holds no finite number
 */
export function firstRow(name: string, inputs: Float64Array): number {
  const { length } = inputs;
  let first = 0;
  while (first < length && Number.isNaN(inputs[first])) first++;
  for (let row = first; row < length; row++) {
    const input = inputs[row] as number;
    if (input - input !== 0) throw new RangeError(refusal(name, input, row));
  }
  return first;
}

/** Some columns of candles. */
export type Rows<Field extends keyof Candle> = Readonly<Record<Field, Float64Array>> & {
  readonly length?: number;
};

/**
 * How many rows of candles count. What they hold is for `checkRow`.
 * @throws RangeError when a column is shorter
 */
export function rowCount<Field extends keyof Candle>(
  name: string,
  rows: Rows<Field>,
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
 * Asked of each row as it is read: to go over the columns twice was measured to cost more than most
 * indicators do.
 * @param sum  of the fields in that row: finite when all of them are
 * @throws RangeError that names the row and the field
 */
export function checkRow<Field extends keyof Candle>(
  name: string,
  sum: number,
  row: number,
  rows: Rows<Field>,
  fields: readonly Field[],
): void {
  if (sum - sum === 0) return;
  const field = fields.find((one) => !Number.isFinite(rows[one][row])) ?? (fields[0] as Field);
  throw new RangeError(refusal(name, rows[field][row] as number, row, field));
}

const refusal = (name: string, input: number, row: number, field?: string): string =>
  `${name} takes finite numbers, not ${input} in row ${row}${field ? ` of ${field}` : ''}`;
