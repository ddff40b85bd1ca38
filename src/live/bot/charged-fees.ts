import type { FeeReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { add, subtract, textFromFixed, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { FeeDetail, FuturesApi } from '../../venue/futures-api/futures-api.js';

/** Fees, funding and rebates of an account over a span of time, in one currency. */
export interface ChargedFees {
  readonly currency: Currency;
  /** GST included. */
  readonly trading: Amount;
  /** Below 0: a credit. */
  readonly funding: Amount;
  /** Credits, above 0. */
  readonly rebates: Amount;
  /** Number of trading fee rows; each filled order has at least one. */
  readonly trades: number;
}

/** The same in the summary, as decimals. `total`: trading + funding − rebates. */
export interface FeesRow {
  readonly trading: string;
  readonly funding: string;
  readonly rebates: string;
  readonly total: string;
}

export function feesRow({ trading, funding, rebates }: ChargedFees): FeesRow {
  return {
    trading: textFromFixed(trading),
    funding: textFromFixed(funding),
    rebates: textFromFixed(rebates),
    total: textFromFixed(subtract(add(trading, funding), rebates)),
  };
}

type FeeLine = Pick<FeeReport, 'kind' | 'amount'>;

export function sumFees(currency: Currency, rows: readonly FeeLine[]): ChargedFees {
  const sum = (of: FeeReport['kind']): Amount =>
    rows
      .filter(({ kind }) => kind === of)
      .reduce((total, { amount }) => add(total, amount), ZERO as Amount);
  return {
    currency,
    trading: sum('transaction'),
    funding: sum('funding'),
    rebates: sum('rebate'),
    trades: rows.filter(({ kind }) => kind === 'transaction').length,
  };
}

const PAGE_ROWS = 500;
/** Minimum rows per call at every venue, if that many exist. */
const MIN_PAGE_ROWS = 20;
const MAX_PAGES = 20;

/**
 * Sums fee history since `fromMs` (ms UTC, whole seconds). undefined: no exact sum is possible, because a
 * page or a row is unreadable, a row has no time, or rows arrived between two pages.
 */
export async function readFees(
  api: Pick<FuturesApi, 'feeHistory'>,
  currency: Currency,
  fromMs: number,
): Promise<ChargedFees | undefined> {
  const rows: FeeDetail[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    // `offset` counts rows here (interface: fee history).
    const more = await pageOf(api, currency, { limit: PAGE_ROWS, offset: rows.length });
    if (more === undefined) return undefined;
    rows.push(...more);
    if (rows.length >= MIN_PAGE_ROWS && more.length > 0 && !more.some(isBefore(fromMs))) continue;
    if (page > 0 && !(await isNewest(api, currency, rows[0]))) return undefined;
    return sumFees(
      currency,
      rows.filter((row) => !isBefore(fromMs)(row)),
    );
  }
  return undefined;
}

async function pageOf(
  api: Pick<FuturesApi, 'feeHistory'>,
  currency: Currency,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly FeeDetail[] | undefined> {
  const outcome = await api.feeHistory(currency, { limit, ...(offset > 0 && { offset }) });
  if (outcome.kind !== 'yes' || outcome.unreadable !== undefined) return undefined;
  return outcome.value.every(({ createdAt }) => createdAt !== undefined)
    ? outcome.value
    : undefined;
}

/** Whether no row arrived while the pages were read: it would have counted another row twice. */
async function isNewest(
  api: Pick<FuturesApi, 'feeHistory'>,
  currency: Currency,
  first: FeeDetail | undefined,
): Promise<boolean> {
  const newest = await pageOf(api, currency, { limit: 1, offset: 0 });
  const row = newest?.[0];
  return (
    row?.id === first?.id && row?.createdAt === first?.createdAt && row?.symbol === first?.symbol
  );
}

const isBefore =
  (fromMs: number) =>
  ({ createdAt = 0 }: FeeDetail): boolean =>
    createdAt < fromMs;
