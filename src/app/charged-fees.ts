import type { FeeReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { add, subtract, textFromFixed, ZERO, type Amount } from '../core/fixed.js';
import type { FeeDetail, FuturesApi } from '../venue/futures-api/futures-api.js';

/** Fees, funding and rebates of an account over a span of time, in one currency. */
export interface ChargedFees {
  readonly currency: Currency;
  /** GST included. */
  readonly trading: Amount;
  /** Below 0: a credit. */
  readonly funding: Amount;
  /** Credits, above 0. */
  readonly rebates: Amount;
  /** Rows of trading fees: each order that filled has one at least. */
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
/** Every venue gives as many rows in one call, where there are as many. */
const SURE_ROWS = 20;
const MAX_PAGES = 20;

/**
 * Sums of fee history since `fromMs` (ms UTC, whole seconds). undefined: they cannot be told exactly, since
 * a page or a row does not read, a row tells no time, or rows came in between two pages.
 */
export async function readFees(
  api: Pick<FuturesApi, 'feeHistory'>,
  currency: Currency,
  fromMs: number,
): Promise<ChargedFees | undefined> {
  const rows: FeeDetail[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    // `offset` is a number of rows here (interface, fee history).
    const more = await pageOf(api, currency, { limit: PAGE_ROWS, offset: rows.length });
    if (more === undefined) return undefined;
    rows.push(...more);
    if (rows.length >= SURE_ROWS && more.length > 0 && !more.some(isBefore(fromMs))) continue;
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

/** Nothing came while the pages were read, which would have counted a row twice. */
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
