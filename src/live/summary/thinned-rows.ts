/** Rows that stay: a day of a row a second keeps one of 8.6 to 17 s, a month one of 4 to 9 min. */
export const MAX_ROWS = 10_000;

/**
 * Rows of numbers of a series without an end, in memory that is taken once. When it is full every second row leaves, and
 * from then on half as many stay: evenly spaced over the whole time, and the newest.
 */
export class ThinnedRows {
  readonly #width: number;
  readonly #maxRows: number;
  /** Row after row. */
  readonly #cells: Float64Array;
  readonly #newest: Float64Array;
  #length = 0;
  #stride = 1;
  #count = 0;

  /**
   * @param width numbers of a row
   * @param maxRows even
   */
  constructor(width: number, maxRows = MAX_ROWS) {
    this.#width = width;
    this.#maxRows = maxRows;
    // Filled, so that the system gives all of its pages now and none later.
    this.#cells = new Float64Array((maxRows + 1) * width).fill(NaN);
    this.#newest = new Float64Array(width);
  }

  /** Of the newest row; undefined before the first. */
  newest(cell: number): number | undefined {
    return this.#count === 0 ? undefined : this.#newest[cell];
  }

  /** One number of each row, oldest first. */
  column(cell: number): Float64Array {
    const hasNewest = this.#count === 0 || this.#isKept(this.#count - 1);
    const column = new Float64Array(this.#length + (hasNewest ? 0 : 1));
    for (let row = 0; row < this.#length; row += 1)
      column[row] = this.#cells[row * this.#width + cell] as number;
    if (!hasNewest) column[this.#length] = this.#newest[cell] as number;
    return column;
  }

  add(row: readonly number[]): void {
    this.#newest.set(row);
    const stays = this.#isKept(this.#count);
    this.#count += 1;
    if (!stays) return;
    this.#cells.set(row, this.#length * this.#width);
    this.#length += 1;
    if (this.#length > this.#maxRows) this.#thin();
  }

  #isKept(index: number): boolean {
    return index % this.#stride === 0;
  }

  #thin(): void {
    const width = this.#width;
    const length = Math.ceil(this.#length / 2);
    for (let row = 1; row < length; row += 1)
      this.#cells.copyWithin(row * width, 2 * row * width, (2 * row + 1) * width);
    this.#length = length;
    this.#stride *= 2;
  }
}
