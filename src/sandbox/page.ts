import type { Switches } from './switches.js';

export interface Page {
  readonly limit: number;
  /** Records to skip. */
  readonly skip: number;
  /** Only what was created by then, ms UTC. */
  readonly untilMs: number;
}

/** How `offset` is read, and how many rows one call tells at most. */
export interface PageRules {
  readonly offset: Switches['listOffset'];
  readonly cap: number;
}

const DEFAULT_LIMIT = 20;
/** From here on an offset is a time in ms, below it a number of records (supplement part 5). */
const OFFSET_IS_TIME_FROM = 1e11;

export const listRules = ({ listOffset, listCap }: Switches): PageRules => ({
  offset: listOffset,
  cap: listCap,
});

/** `limit` and `offset` of a list; undefined when they are not whole numbers, or ask for no rows. */
export function parsePage(query: URLSearchParams, rules: PageRules): Page | undefined {
  const limit = wholeNumber(query.get('limit'), DEFAULT_LIMIT);
  const offset = wholeNumber(query.get('offset'), 0);
  if (limit === undefined || offset === undefined || limit === 0) return undefined;
  const isTime = rules.offset === 'count-or-end-time' && offset >= OFFSET_IS_TIME_FROM;
  return {
    limit: Math.min(limit, rules.cap),
    skip: isTime ? 0 : offset,
    untilMs: isTime ? offset : Infinity,
  };
}

function wholeNumber(text: string | null, absent: number): number | undefined {
  if (text === null || text === '') return absent;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The rows of a page, in their order. */
export function pageOf<Row>(
  rows: readonly Row[],
  page: Page,
  createdAt: (row: Row) => number,
): readonly Row[] {
  const { skip, limit, untilMs } = page;
  const seen = untilMs === Infinity ? rows : rows.filter((row) => createdAt(row) <= untilMs);
  return seen.slice(skip, skip + limit);
}
