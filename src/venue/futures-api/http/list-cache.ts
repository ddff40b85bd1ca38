/** First pages trusted as the whole list in a row, before it is read to its end again. */
const MAX_TRUSTED_PAGES = 20;

/**
 * Saves the calls that prove the end of a list that rarely changes. A first page is the whole list if
 * the venue has returned a longer one before. It is also whole if all its rows were in a list proved to
 * fit one page: a new row would be in the page, and older rows were known.
 */
export class ListCache {
  #rows: ReadonlySet<string> = new Set();
  #longestPage = 0;
  #trustedPages = 0;

  /** @param keys of a first page. A `true` counts towards `MAX_TRUSTED_PAGES`. */
  trustsPage(keys: readonly string[]): boolean {
    if (this.#trustedPages >= MAX_TRUSTED_PAGES) return false;
    const isKnown = keys.length < this.#longestPage || keys.every((key) => this.#rows.has(key));
    if (isKnown) this.#trustedPages += 1;
    return isKnown;
  }

  /** Call when a list was read to its end. */
  setComplete(keys: readonly string[], longestPage: number): void {
    this.#rows = new Set(keys.length === longestPage ? keys : []);
    this.#longestPage = longestPage;
    this.#trustedPages = 0;
  }
}

/**
 * Saves the calls for known rows of a list that only grows: below a known row there is nothing new. Only
 * final rows are served from memory.
 */
export class IncrementalHistory<Row> {
  readonly #timeOf: (row: Row) => number;
  readonly #isFinal: (row: Row) => boolean;
  #rows: ReadonlyMap<string, Row> = new Map();
  /** ms UTC since which the rows are complete. */
  #completeFrom = Number.POSITIVE_INFINITY;

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
   * @param from ms UTC of the oldest requested row
   * @returns the rows since then, and possibly older ones; undefined where more calls are needed
   */
  extend(page: ReadonlyMap<string, Row>, from: number): readonly Row[] | undefined {
    const overlaps = [...page.keys()].some((key) => this.#rows.has(key));
    if (from < this.#completeFrom || !overlaps) return undefined;
    const older = [...this.#rows].filter(
      ([key, row]) => !page.has(key) && this.#timeOf(row) >= from,
    );
    if (!older.every(([, row]) => this.#isFinal(row))) return undefined;
    this.setComplete(new Map([...page, ...older]), from);
    return [...this.#rows.values()];
  }

  /** Call when all rows since `from` were read; older ones may be among them. */
  setComplete(rows: ReadonlyMap<string, Row>, from: number): void {
    this.#completeFrom = from;
    this.#rows = rows;
  }
}
