/** One list of the venue: newest rows first. */
export interface PagedList<Item> {
  readonly read: (range: {
    readonly limit: number;
    readonly offset?: number;
  }) => Promise<readonly Item[]>;
  /** What tells a row from another; rows that share it are one where two pages overlap. */
  readonly keyOf: (item: Item) => string;
  /** ms UTC; undefined where rows tell no time. */
  readonly timeOf?: (item: Item) => number | undefined;
}

/** What every venue gives in one call (interface, Limits). */
const DEFAULT_ROWS = 20;
/** Rows of one call. A venue may give fewer (supplement, part 5), never more. */
const PAGE_ROWS = 100;
/** The venue counts whole seconds. */
const SECOND_MS = 1_000;

/**
 * Rows up to `limit`, by as many calls as it takes. `offset` is a count on some lists of some venues
 * and an end time on others (interface, fee history; hazard G8): the next page is asked for by count,
 * and where that brings nothing new, by the time of the oldest row. A short page ends nothing, since
 * the largest page is not told; two calls without a new row do.
 *
 * Rows that arrive meanwhile push others onto the next page: what overlaps is counted once.
 */
export async function readPages<Item>(
  list: PagedList<Item>,
  limit: number,
): Promise<readonly Item[]> {
  const seen = new Seen(list.keyOf);
  seen.add(await list.read({ limit: Math.min(limit, PAGE_ROWS) }));
  if (limit <= DEFAULT_ROWS) return seen.items.slice(0, limit);
  while (seen.items.length > 0 && seen.items.length < limit) {
    if (seen.add(await list.read({ limit: PAGE_ROWS, offset: seen.items.length }))) continue;
    const oldest = oldestOf(seen.items, list.timeOf);
    if (oldest === undefined) break;
    if (!seen.add(await list.read({ limit: PAGE_ROWS, offset: oldest + SECOND_MS }))) break;
  }
  return seen.items.slice(0, limit);
}

class Seen<Item> {
  readonly items: Item[] = [];
  readonly #counts = new Map<string, number>();
  readonly #keyOf: (item: Item) => string;

  constructor(keyOf: (item: Item) => string) {
    this.#keyOf = keyOf;
  }

  /** Equal rows within a page are as many rows (hazard G9). @returns whether any was new */
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
