/** Rows that stay: a day of a row a second keeps one of 8.6 to 17 s, a month one of 4 to 9 min. */
export const MAX_ROWS = 10_000;

/**
 * Rows of a series without an end. When it is full every second row leaves, and from then on half as many
 * stay: evenly spaced over the whole time, and the newest.
 */
export class ThinnedRows<Row> {
  readonly #maxRows: number;
  #rows: Row[] = [];
  #newest: Row | undefined;
  #stride = 1;
  #count = 0;

  /** @param maxRows even */
  constructor(maxRows = MAX_ROWS) {
    this.#maxRows = maxRows;
  }

  get newest(): Row | undefined {
    return this.#newest;
  }

  /** Oldest first. */
  get rows(): readonly Row[] {
    const newest = this.#newest;
    return newest === undefined || this.#rows.at(-1) === newest
      ? this.#rows
      : [...this.#rows, newest];
  }

  add(row: Row): void {
    this.#newest = row;
    const stays = this.#count % this.#stride === 0;
    this.#count += 1;
    if (!stays) return;
    this.#rows.push(row);
    if (this.#rows.length <= this.#maxRows) return;
    this.#rows = this.#rows.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }
}
