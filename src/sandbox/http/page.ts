import type { BehaviorFlags } from '../behavior/behavior-flags.js';

export interface ListPage {
  readonly limit: number;
  /** Records to skip. */
  readonly skip: number;
  /** Only records created up to this time, ms UTC. */
  readonly untilMs: number;
}

/** Meaning of `offset`, and the most rows of one call. */
export interface PagingRules {
  readonly offset: BehaviorFlags['listOffset'];
  readonly cap: number;
}

const DEFAULT_LIMIT = 20;
/** From this value an offset is a time in ms; below it, a number of records (supplement: part 5). */
const OFFSET_IS_TIME_FROM = 1e11;

export const listRules = ({ listOffset, listCap }: BehaviorFlags): PagingRules => ({
  offset: listOffset,
  cap: listCap,
});

/** `limit` and `offset` of a list; undefined when one is not a whole number or the limit is below 1. */
export function parsePage(query: URLSearchParams, rules: PagingRules): ListPage | undefined {
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

/** The rows of a page, in the given order. */
export function pageOf<Row>(
  rows: readonly Row[],
  page: ListPage,
  createdAt: (row: Row) => number,
): readonly Row[] {
  const { skip, limit, untilMs } = page;
  const inRange = untilMs === Infinity ? rows : rows.filter((row) => createdAt(row) <= untilMs);
  return inRange.slice(skip, skip + limit);
}
