import type { Fixed } from '../fixed/fixed.js';
import { codeOfId, idOfCode } from './id-code.js';

const ROW_BITS = 10;
const CHUNK_ROWS = 1 << ROW_BITS;
const ROW_MASK = CHUNK_ROWS - 1;

/** A value that is no number: it costs an entry of a map. */
type Other = bigint | string;

/**
 * Rows of numbers in typed memory, for histories: the garbage collector copies and marks none of them, as it does
 * with objects. A reader draws the object of a row. A cell holds a number other than NaN, a fixed-point value, an id,
 * or nothing.
 */
export class TypedTable {
  readonly #width: number;
  #chunks: Float64Array[] = [];
  #others = new Map<number, Other>();
  #length = 0;

  /** @param width cells of a row */
  constructor(width: number) {
    this.#width = width;
  }

  get length(): number {
    return this.#length;
  }

  /** @returns the index of a new row, whose cells are 0 */
  add(): number {
    const row = this.#length;
    if ((row & ROW_MASK) === 0) this.#chunks.push(new Float64Array(CHUNK_ROWS * this.#width));
    this.#length = row + 1;
    return row;
  }

  setNumber(row: number, field: number, value: number): void {
    this.#chunk(row)[this.#at(row, field)] = value;
  }

  number(row: number, field: number): number {
    return this.#chunk(row)[this.#at(row, field)] as number;
  }

  setFixed(row: number, field: number, value: Fixed | undefined): void {
    if (typeof value === 'number') this.setNumber(row, field, value);
    else this.#setOther(row, field, value);
  }

  fixed<F extends Fixed>(row: number, field: number): F | undefined {
    const value = this.number(row, field);
    return (Number.isNaN(value) ? this.#others.get(row * this.#width + field) : value) as
      F | undefined;
  }

  /** A bigint that is no fixed-point value. */
  setWide(row: number, field: number, value: bigint | undefined): void {
    this.#setOther(row, field, value);
  }

  wide(row: number, field: number): bigint | undefined {
    return this.#others.get(row * this.#width + field) as bigint | undefined;
  }

  /** Cheap for ids of a letter and a number. */
  setId(row: number, field: number, id: string | undefined): void {
    const code = id === undefined ? NaN : codeOfId(id);
    if (Number.isNaN(code)) this.#setOther(row, field, id);
    else this.setNumber(row, field, code);
  }

  id(row: number, field: number): string | undefined {
    const code = this.number(row, field);
    if (!Number.isNaN(code)) return idOfCode(code);
    return this.#others.get(row * this.#width + field) as string | undefined;
  }

  /** Removes the other rows and moves the kept ones together. Linear in all rows. */
  keep(isKept: (row: number) => boolean): void {
    const kept = new TypedTable(this.#width);
    for (let row = 0; row < this.#length; row += 1) if (isKept(row)) this.copyTo(kept, row);
    this.#chunks = kept.#chunks;
    this.#others = kept.#others;
    this.#length = kept.#length;
  }

  /** @returns the new row of the other table, which has the same width */
  copyTo(table: TypedTable, row: number): number {
    const to = table.add();
    for (let field = 0; field < this.#width; field += 1) {
      const value = this.number(row, field);
      if (!Number.isNaN(value)) table.setNumber(to, field, value);
      else table.#setOther(to, field, this.#others.get(row * this.#width + field));
    }
    return to;
  }

  #setOther(row: number, field: number, value: Other | undefined): void {
    this.setNumber(row, field, NaN);
    const cell = row * this.#width + field;
    if (value !== undefined) this.#others.set(cell, value);
    else if (this.#others.size > 0) this.#others.delete(cell);
  }

  #chunk(row: number): Float64Array {
    return this.#chunks[row >> ROW_BITS] as Float64Array;
  }

  #at(row: number, field: number): number {
    return (row & ROW_MASK) * this.#width + field;
  }
}
