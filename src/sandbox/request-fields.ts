import type { Currency } from '../core/currency.js';
import { Decimal, isPlainDecimal } from '../core/decimal.js';
import { fixed, fixedFromText, SCALE, type Fixed } from '../core/fixed.js';

export type JsonBody = Readonly<Record<string, unknown>>;

/**
 * The body's fields; an empty body has none (some clients send the header alone, supplement part 7).
 * undefined for what is not a JSON object.
 */
export function parseBody(text: string): JsonBody | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonBody) : undefined;
  } catch {
    return undefined;
  }
}

export function parseCurrency(value: unknown): Currency | undefined {
  if (value === undefined || value === null) return 'USDT';
  return value === 'USDT' || value === 'INR' ? value : undefined;
}

/** A decimal sent as a string or as a JSON number; undefined for anything else. */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  return typeof value === 'string' && isPlainDecimal(value) ? new Decimal(value) : undefined;
}

/** The finest value of the ledger: off every step, as is whatever is finer still. */
const FINEST = 1;

/**
 * Into the ledger's form for the exchange to judge. What the ledger cannot hold keeps what is wrong
 * with it: too fine stays off every step, too large stays above every limit.
 */
export function judgeable<Unit extends string>(value: Decimal, step: Fixed): Fixed<Unit> {
  const largest = Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % step);
  if (value.times(SCALE).abs().gt(largest)) return fixed(value.isNeg() ? -largest : largest);
  if (value.decimalPlaces() > 8) return fixed(value.isNeg() ? -FINEST : FINEST);
  return fixedFromText(value.toFixed());
}

/** A flag: absent is false; undefined when it is not a boolean. */
export function parseFlag(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return false;
  return typeof value === 'boolean' ? value : undefined;
}

export interface Page {
  readonly limit: number;
  /** Records to skip. */
  readonly skip: number;
  /** Only what was created by then, ms UTC. */
  readonly untilMs: number;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
/** From here on an offset is a time in ms, below it a number of records (supplement part 5). */
const OFFSET_IS_TIME_FROM = 1e11;

/** `limit` and `offset` of a list; undefined when they are not whole numbers. */
export function parsePage(query: URLSearchParams): Page | undefined {
  const limit = wholeNumber(query.get('limit'), DEFAULT_LIMIT);
  const offset = wholeNumber(query.get('offset'), 0);
  if (limit === undefined || offset === undefined || limit === 0) return undefined;
  const isTime = offset >= OFFSET_IS_TIME_FROM;
  return {
    limit: Math.min(limit, MAX_LIMIT),
    skip: isTime ? 0 : offset,
    untilMs: isTime ? offset : Infinity,
  };
}

function wholeNumber(text: string | null, absent: number): number | undefined {
  if (text === null || text === '') return absent;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The rows of a page, from rows newest first. */
export const pageOf = <Row>(
  rows: readonly Row[],
  page: Page,
  createdAt: (row: Row) => number,
): Row[] =>
  rows.filter((row) => createdAt(row) <= page.untilMs).slice(page.skip, page.skip + page.limit);
