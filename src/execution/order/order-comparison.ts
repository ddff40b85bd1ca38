import type { OrderReport, OrderTerms } from '../../core/order.js';
import { isMore } from '../../core/fixed.js';

/**
 * The first field in which a report contradicts what we sent; absent fields prove nothing. Finding
 * other terms under our id means a second writer (hazard A20).
 */
export function differenceOf(terms: OrderTerms, report: OrderReport): string | undefined {
  const { symbol, side, price } = report;
  if (symbol !== undefined && symbol !== terms.symbol) return `symbol ${symbol}`;
  if (report.currency !== terms.currency) return `currency ${report.currency}`;
  if (side !== undefined && side !== terms.side) return `side ${side}`;
  if (report.type !== terms.type) return `type ${report.type}`;
  if (report.quantity !== terms.quantity) return 'another quantity';
  if (isMore(report.filledQuantity, report.quantity)) return 'more filled than was ordered';
  const differs = terms.type === 'limit' && price !== undefined && price !== terms.price;
  return differs ? 'another price' : undefined;
}

/** The same of an order of ours: while an amendment is not proved, it may have either terms. */
export function contradictionOf(
  { terms, amending }: { readonly terms: OrderTerms; readonly amending: OrderTerms | undefined },
  report: OrderReport,
): string | undefined {
  const difference = differenceOf(terms, report);
  if (difference === undefined || amending === undefined) return difference;
  return differenceOf(amending, report) === undefined ? undefined : difference;
}

/**
 * The terms of an order that the venue acknowledged to us and that somebody amended by hand since:
 * price and quantity are all that an amendment changes. Undefined where it has still our terms, or
 * where the report is of another order.
 */
export function amendedByHand(terms: OrderTerms, report: OrderReport): OrderTerms | undefined {
  const { quantity, price } = report;
  const amended = {
    ...terms,
    quantity,
    ...(terms.type === 'limit' && price !== undefined && { price }),
  };
  const same = amended.quantity === terms.quantity && amended.price === terms.price;
  return same || differenceOf(amended, report) !== undefined ? undefined : amended;
}

/** Whether a report is of the fence that left under an order's id, and not of the order. */
export const isOfFence = ({ terms, fence, isFence }: Fenced, report: OrderReport): boolean =>
  !isFence &&
  fence !== undefined &&
  differenceOf(terms, report) !== undefined &&
  differenceOf(fence, report) === undefined;

interface Fenced {
  readonly terms: OrderTerms;
  readonly fence: OrderTerms | undefined;
  readonly isFence: boolean;
}

/** Whether a report that does not tell its client id could be of this order, or of its fence. */
export const couldBeOf = ({ terms, fence }: Fenced, report: OrderReport): boolean =>
  isSameOrder(terms, report) || (fence !== undefined && isSameOrder(fence, report));

/** Whether a report that does not tell its client id could be of an order with these terms. */
export const isSameOrder = (terms: OrderTerms, report: OrderReport): boolean =>
  report.role === 'trade' && differenceOf(terms, report) === undefined;
