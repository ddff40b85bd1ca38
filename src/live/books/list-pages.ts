/** One list of the venue: newest rows first. */
export interface PagedList<Item> {
  readonly read: (range: {
    readonly limit: number;
    readonly offset?: number;
  }) => Promise<readonly Item[]>;
  /** Identifies a row, so that a row on two overlapping pages is counted once. */
  readonly keyOf: (item: Item) => string;
  /** ms UTC; undefined for rows without a time. */
  readonly timeOf?: (item: Item) => number | undefined;
}

/** Rows that every venue returns in one call (interface: limits). */
const DEFAULT_ROWS = 20;
/** Rows requested per call. A venue may return fewer, never more. */
const PAGE_ROWS = 100;
/** The venue counts whole seconds. */
const SECOND_MS = 1_000;

/**
 * Reads rows up to `limit`, in as many calls as needed. `offset` is a count on some lists and an end
 * time on others (interface: fee history). The next page is requested by count. If that returns no new
 * row, it is requested by the time of the oldest row. The maximum page size is unknown, so a short page
 * does not end the list; two calls without a new row do.
 *
 * Rows that arrive between two calls push others onto the next page; an overlapping row counts once.
 */
export async function readPages<Item>(
  list: PagedList<Item>,
  limit: number,
): Promise<readonly Item[]> {
  const rows = new PageMerger(list.keyOf);
  rows.add(await list.read({ limit: Math.min(limit, PAGE_ROWS) }));
  if (limit <= DEFAULT_ROWS) return rows.items.slice(0, limit);
  while (rows.items.length > 0 && rows.items.length < limit) {
    if (rows.add(await list.read({ limit: PAGE_ROWS, offset: rows.items.length }))) continue;
    const oldest = oldestOf(rows.items, list.timeOf);
    if (oldest === undefined) break;
    if (!rows.add(await list.read({ limit: PAGE_ROWS, offset: oldest + SECOND_MS }))) break;
  }
  return rows.items.slice(0, limit);
}

class PageMerger<Item> {
  readonly items: Item[] = [];
  readonly #counts = new Map<string, number>();
  readonly #keyOf: (item: Item) => string;

  constructor(keyOf: (item: Item) => string) {
    this.#keyOf = keyOf;
  }

  /** Equal rows within one page are distinct rows. @returns whether any row was new */
  add(page: readonly Item[]): boolean {
    const before = this.items.length;
    const onPage = new Map<string, number>();
    for (const item of page) {
      const key = this.#keyOf(item);
      const count = (onPage.get(key) ?? 0) + 1;
      onPage.set(key, count);
      if (count <= (this.#counts.get(key) ?? 0)) continue;
      this.#counts.set(key, count);
      this.items.push(item);
    }
    return this.items.length > before;
  }
}

function oldestOf<Item>(
  items: readonly Item[],
  timeOf: PagedList<Item>['timeOf'],
): number | undefined {
  if (timeOf === undefined) return undefined;
  const times = items.map(timeOf).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
