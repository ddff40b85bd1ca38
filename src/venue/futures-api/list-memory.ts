/** First pages that are believed to be whole for what was known, before a list is read to its end again. */
const BELIEVED = 20;

/**
 * Spares a list that hardly changes the calls that prove its end. A first page is whole where the venue
 * has given a longer one, or where all its rows were in a list that was proved to be one page: a newer row
 * would stand in it, and an older one was known.
 */
export class KnownList {
  #rows: ReadonlySet<string> = new Set();
  #longest = 0;
  #believed = 0;

  /** @param keys of a first page. Counts as one belief where it says yes. */
  believes(keys: readonly string[]): boolean {
    if (this.#believed >= BELIEVED) return false;
    const isKnown = keys.length < this.#longest || keys.every((key) => this.#rows.has(key));
    if (isKnown) this.#believed += 1;
    return isKnown;
  }

  /** A reading came to the list's end. */
  proved(keys: readonly string[], longestPage: number): void {
    this.#rows = new Set(keys.length === longestPage ? keys : []);
    this.#longest = longestPage;
    this.#believed = 0;
  }
}

/**
 * Spares a list that only grows the calls for what has been read before: below a row that was known there
 * is nothing new. Only rows that will never change are taken from memory.
 */
export class RememberedList<Row> {
  readonly #timeOf: (row: Row) => number;
  readonly #isFinal: (row: Row) => boolean;
  #rows: ReadonlyMap<string, Row> = new Map();
  /** ms UTC from which on it is whole. */
  #from = Number.POSITIVE_INFINITY;

  constructor(options: {
    /** ms UTC by which the list is sorted, newest first. */
    readonly timeOf: (row: Row) => number | undefined;
    readonly isFinal: (row: Row) => boolean;
  }) {
    this.#timeOf = (row) => options.timeOf(row) ?? Number.POSITIVE_INFINITY;
    this.#isFinal = options.isFinal;
  }

  /**
   * @param page rows from the newest on, by their keys
   * @param from ms UTC of the oldest row that is wanted
   * @returns the rows since then, and perhaps older ones; undefined where older calls must tell
   */
  complete(page: ReadonlyMap<string, Row>, from: number): readonly Row[] | undefined {
    const overlaps = [...page.keys()].some((key) => this.#rows.has(key));
    if (from < this.#from || !overlaps) return undefined;
    const older = [...this.#rows].filter(
      ([key, row]) => !page.has(key) && this.#timeOf(row) >= from,
    );
    if (!older.every(([, row]) => this.#isFinal(row))) return undefined;
    this.proved(new Map([...page, ...older]), from);
    return [...this.#rows.values()];
  }

  /** All rows since `from` were read, and perhaps older ones. */
  proved(rows: ReadonlyMap<string, Row>, from: number): void {
    this.#from = from;
    this.#rows = rows;
  }
}
