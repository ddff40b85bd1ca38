import { TypedTable } from './typed-table.js';

/** A set of ids: 8 bytes for each id of a letter and a number, until the first look-up. */
export class IdRows {
  readonly #rows = new TypedTable(1);
  readonly #known = new Set<string>();
  #indexedCount = 0;

  add(id: string): void {
    this.#rows.setId(this.#rows.add(), 0, id);
  }

  has(id: string): boolean {
    for (; this.#indexedCount < this.#rows.length; this.#indexedCount += 1)
      this.#known.add(this.#rows.id(this.#indexedCount, 0) as string);
    return this.#known.has(id);
  }
}
