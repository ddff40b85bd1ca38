import type { UnreadableRow } from '../../../core/account.js';
import type { Outcome } from '../../../core/request.js';
import type { ListRange } from '../futures-api.js';
import type { ListCache, IncrementalHistory } from './list-cache.js';

/** One list of the venue: newest rows first. */
export interface PaginatedList<Row> {
  readonly read: (range: ListRange) => Promise<Outcome<readonly Row[]>>;
  /** The identity of a row. */
  readonly keyOf: (row: Row) => string;
  /** ms UTC by which the list is sorted; undefined where a row has none. */
  readonly timeOf: (row: Row) => number | undefined;
  /** The `limit` of one call. The venue may return fewer rows, never more. */
  readonly pageRows: number;
  /** Whether the rows so far suffice, even if older ones follow. */
  readonly isEnough?: (rows: readonly Row[]) => boolean;
  /** Resolves when the next call may be made. The first call needs none: its permit is acquired. */
  readonly acquirePermit: () => Promise<void>;
  /** Results of earlier reads, for a list that is polled. */
  readonly cache?: ListCache;
  /** Results of earlier reads, for a list that only grows. */
  readonly history?: { readonly list: IncrementalHistory<Row>; readonly from: number };
}

/** The default limit of list endpoints: no venue returns shorter pages than this before the end. */
const MIN_PAGE_ROWS = 20;
/** The venue counts whole seconds, so the boundary includes all rows of the oldest row's second. */
const SECOND_MS = 1_000;
/** Overlap of pages by count, because rows may leave the list between two calls. */
const OVERLAP_ROWS = 10;
const MAX_PAGES = 60;

/**
 * Reads a list to its end, by as many calls as needed (hazards G6 to G8).
 *
 * The interface defines `offset` both as an end time and as a row count, and no maximum of rows. So the
 * next page is requested by the time of the oldest row plus one second. If that adds nothing, it is
 * requested by count, with an overlap. A list of 20 rows or more is complete when neither adds a row.
 * Rows that arrive between two calls shift the others; overlapping rows count once.
 *
 * A failed page fails the list, because a partial list would be taken for the whole. Unreadable rows
 * are returned beside the others and count as rows.
 */
export async function readList<Row>(list: PaginatedList<Row>): Promise<Outcome<readonly Row[]>> {
  const read = new PaginatedRead(list);
  let page = await read.page();
  if (page.kind === 'page' && !read.isWhole && list.cache?.trustsPage(read.keys) === true) {
    return read.outcome;
  }
  const { history } = list;
  // The history holds readable rows only.
  if (history !== undefined && !read.isWhole && read.isFullyReadable) {
    const rows = history.list.extend(read.byKey, history.from);
    if (rows !== undefined) return { kind: 'yes', value: rows };
  }
  while (page.kind === 'page' && page.added > 0 && !read.isWhole) {
    if (read.pages >= MAX_PAGES) return endlessList(read.rows.length);
    page = await readOlderPage(read);
  }
  if (page.kind === 'page') {
    list.cache?.setComplete(read.keys, read.longestPage);
    if (read.isFullyReadable) history?.list.setComplete(read.byKey, history.from);
  }
  return page.kind === 'page' ? read.outcome : page;
}

async function readOlderPage<Row>(read: PaginatedRead<Row>): Promise<Page> {
  if (read.oldest !== undefined && !read.isOffsetCount) {
    const page = await read.page(read.oldest + SECOND_MS);
    if (page.kind !== 'page' || page.added > 0) return page;
    // The boundary includes known rows. An empty page means that the venue takes `offset` as a count.
    read.isOffsetCount = page.isEmpty;
  }
  const page = await read.pageByCount();
  // A full page of known rows: more rows than the overlap may have arrived between the calls.
  return page.kind !== 'page' || page.added > 0 || page.isLast ? page : read.pageByCount();
}

type FailedOutcome = Exclude<Outcome<never>, { readonly kind: 'yes' }>;
type Page =
  | FailedOutcome
  | {
      readonly kind: 'page';
      /** Rows that no earlier page had. */
      readonly added: number;
      /** Shorter than an earlier page: the list ends with it. */
      readonly isLast: boolean;
      readonly isEmpty: boolean;
    };

/** The rows of one list read so far. */
class PaginatedRead<Row> {
  readonly #list: PaginatedList<Row>;
  readonly #rows = new Map<string, Row>();
  readonly #unreadable = new Map<string, UnreadableRow>();
  /** Rows of the longest page. */
  longestPage = 0;
  /** Rows of the last page. */
  #lastPageLength = 0;
  /** Where the last page by count ended. */
  #countOffset = 0;
  pages = 0;
  /** The venue takes `offset` as a row count. */
  isOffsetCount = false;

  constructor(list: PaginatedList<Row>) {
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

  get isFullyReadable(): boolean {
    return this.#unreadable.size === 0;
  }

  get outcome(): Outcome<readonly Row[]> {
    const unreadable = [...this.#unreadable.values()];
    return { kind: 'yes', value: this.rows, ...(!this.isFullyReadable && { unreadable }) };
  }

  /** The rows are fewer than a page can be cut to, or the caller has enough. */
  get isWhole(): boolean {
    return this.keys.length < MIN_PAGE_ROWS || this.#list.isEnough?.(this.rows) === true;
  }

  get oldest(): number | undefined {
    const times = this.rows.map(this.#list.timeOf).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Continues where the last page by count ended, or else after the first page. */
  async pageByCount(): Promise<Page> {
    if (this.#countOffset === 0) this.#countOffset = this.longestPage;
    const offset = Math.max(1, this.#countOffset - OVERLAP_ROWS);
    const page = await this.page(offset);
    if (page.kind === 'page') this.#countOffset = offset + this.#lastPageLength;
    return page;
  }

  async page(offset?: number): Promise<Page> {
    const { read, acquirePermit, keyOf, pageRows: limit } = this.#list;
    if (this.pages > 0) await acquirePermit();
    this.pages += 1;
    const outcome = await read({ limit, ...(offset !== undefined && { offset }) });
    if (outcome.kind !== 'yes') return outcome;
    const before = this.keys.length;
    const { value, unreadable = [] } = outcome;
    for (const row of value) this.#rows.set(keyOf(row), row);
    for (const row of unreadable) this.#unreadable.set(keyOfUnreadable(row), row);
    const length = value.length + unreadable.length;
    const isLast = length < this.longestPage;
    this.longestPage = Math.max(this.longestPage, length);
    this.#lastPageLength = length;
    return { kind: 'page', added: this.keys.length - before, isLast, isEmpty: length === 0 };
  }
}

const keyOfUnreadable = ({ symbol, id, fault }: UnreadableRow): string =>
  id ?? `${symbol} ${fault}`;

const endlessList = (rows: number): FailedOutcome => ({
  kind: 'unknown',
  cause: `the list does not end: ${rows} rows by ${MAX_PAGES} calls`,
  sent: true,
  status: 200,
});
