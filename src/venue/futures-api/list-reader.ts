import type { UnreadableRow } from '../../core/account.js';
import type { Outcome } from '../../core/request.js';
import type { ListRange } from './futures-api.js';
import type { KnownList, RememberedList } from './list-memory.js';

/** One list of the venue: newest rows first. */
export interface VenueList<Row> {
  readonly read: (range: ListRange) => Promise<Outcome<readonly Row[]>>;
  /** What tells a row from another. */
  readonly keyOf: (row: Row) => string;
  /** ms UTC by which the list is sorted; undefined where a row tells none. */
  readonly timeOf: (row: Row) => number | undefined;
  /** Rows of one call; a venue may give fewer, never more. */
  readonly pageRows: number;
  /** Whether these are enough, though older ones may follow. */
  readonly enough?: (rows: readonly Row[]) => boolean;
  /** Resolves when one more call may be made: the first has had its slot. */
  readonly slot: () => Promise<void>;
  /** What earlier readings of this list proved, where it is read again and again. */
  readonly known?: KnownList;
  /** The same, of a list that only grows. */
  readonly remembered?: { readonly list: RememberedList<Row>; readonly from: number };
}

/** Every venue gives as many in one call (interface: list endpoints have limit 20 by default). */
const SURE_ROWS = 20;
/** The venue counts whole seconds: the boundary takes in all rows of the oldest one's. */
const SECOND_MS = 1_000;
/** Rows that pages by count have in common: as many may leave the list meanwhile. */
const OVERLAP_ROWS = 10;
const MAX_PAGES = 60;
/**
 * A list to its end, by as many calls as it takes (G6 to G8, P32). Nobody says which `offset` a venue
 * means, an end time or a number of records (interface, fee history; supplement, part 5), nor how many
 * rows it gives at most; so the next page is asked for by the time of the oldest row, one second over,
 * and where that brings nothing, by count, with an overlap. Both must bring nothing new before a list of
 * 20 rows or more is called whole. Rows that arrive meanwhile push others on: what overlaps counts once.
 *
 * A page that fails fails the list: half a list would pass for all there is. A row that does not read is
 * told beside the others, and counts as a row.
 */
export async function readList<Row>(list: VenueList<Row>): Promise<Outcome<readonly Row[]>> {
  const read = new Reading(list);
  let page = await read.page();
  if (page.kind === 'page' && !read.isWhole && list.known?.believes(read.keys) === true) {
    return read.outcome;
  }
  const { remembered } = list;
  // Memory has no row that does not read.
  if (remembered !== undefined && !read.isWhole && read.readsAll) {
    const rows = remembered.list.complete(read.byKey, remembered.from);
    if (rows !== undefined) return { kind: 'yes', value: rows };
  }
  while (page.kind === 'page' && page.added > 0 && !read.isWhole) {
    if (read.pages >= MAX_PAGES) return endless(read.rows.length);
    page = await older(read);
  }
  if (page.kind === 'page') {
    list.known?.proved(read.keys, read.longest);
    if (read.readsAll) remembered?.list.proved(read.byKey, remembered.from);
  }
  return page.kind === 'page' ? read.outcome : page;
}

async function older<Row>(read: Reading<Row>): Promise<Page> {
  if (read.oldest !== undefined && !read.countsOnly) {
    const page = await read.page(read.oldest + SECOND_MS);
    if (page.kind !== 'page' || page.added > 0) return page;
    // The boundary takes in rows that are known: a venue that shows none of them counts.
    read.countsOnly = page.isEmpty;
  }
  const page = await read.pageByCount();
  // A full page without news: more rows than overlap may have arrived meanwhile.
  return page.kind !== 'page' || page.added > 0 || page.isLast ? page : read.pageByCount();
}

type Failed = Exclude<Outcome<never>, { readonly kind: 'yes' }>;
type Page =
  | Failed
  | {
      readonly kind: 'page';
      /** Rows that were not known. */
      readonly added: number;
      /** Shorter than others: nothing follows it. */
      readonly isLast: boolean;
      readonly isEmpty: boolean;
    };

/** What was read of a list so far. */
class Reading<Row> {
  readonly #list: VenueList<Row>;
  readonly #rows = new Map<string, Row>();
  readonly #unreadable = new Map<string, UnreadableRow>();
  /** Rows of the longest page. */
  longest = 0;
  /** Rows of the last page. */
  #length = 0;
  /** Where the last page by count ended. */
  #counted = 0;
  pages = 0;
  /** `offset` is no time here. */
  countsOnly = false;

  constructor(list: VenueList<Row>) {
    this.#list = list;
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  get byKey(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  get keys(): readonly string[] {
    return [...this.#rows.keys(), ...this.#unreadable.keys()];
  }

  get readsAll(): boolean {
    return this.#unreadable.size === 0;
  }

  get outcome(): Outcome<readonly Row[]> {
    const unreadable = [...this.#unreadable.values()];
    return { kind: 'yes', value: this.rows, ...(!this.readsAll && { unreadable }) };
  }

  /** No venue cuts so few, or nobody wants more. */
  get isWhole(): boolean {
    return this.keys.length < SURE_ROWS || this.#list.enough?.(this.rows) === true;
  }

  get oldest(): number | undefined {
    const times = this.rows.map(this.#list.timeOf).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Goes on where the last page by count ended, or else the first page. */
  async pageByCount(): Promise<Page> {
    if (this.#counted === 0) this.#counted = this.longest;
    const offset = Math.max(1, this.#counted - OVERLAP_ROWS);
    const page = await this.page(offset);
    if (page.kind === 'page') this.#counted = offset + this.#length;
    return page;
  }

  async page(offset?: number): Promise<Page> {
    const { read, slot, keyOf, pageRows: limit } = this.#list;
    if (this.pages > 0) await slot();
    this.pages += 1;
    const outcome = await read({ limit, ...(offset !== undefined && { offset }) });
    if (outcome.kind !== 'yes') return outcome;
    const before = this.keys.length;
    const { value, unreadable = [] } = outcome;
    for (const row of value) this.#rows.set(keyOf(row), row);
    for (const row of unreadable) this.#unreadable.set(keyOfUnreadable(row), row);
    const length = value.length + unreadable.length;
    const isLast = length < this.longest;
    this.longest = Math.max(this.longest, length);
    this.#length = length;
    return { kind: 'page', added: this.keys.length - before, isLast, isEmpty: length === 0 };
  }
}

const keyOfUnreadable = ({ symbol, id, fault }: UnreadableRow): string =>
  id ?? `${symbol} ${fault}`;

const endless = (rows: number): Failed => ({
  kind: 'unknown',
  cause: `the list does not end: ${rows} rows by ${MAX_PAGES} calls`,
  sent: true,
  status: 200,
});
