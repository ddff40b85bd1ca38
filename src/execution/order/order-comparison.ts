import type { OrderReport, OrderTerms } from '../../core/order.js';
import { isGreater } from '../../core/fixed/fixed.js';

/**
 * The first field in which a report contradicts the terms that were sent; an absent field
 * contradicts nothing. Other terms under one of our ids mean a second writer (hazard A20).
 */
export function differenceOf(terms: OrderTerms, report: OrderReport): string | undefined {
  const { symbol, side, price } = report;
  if (symbol !== undefined && symbol !== terms.symbol) return `symbol ${symbol}`;
  if (report.currency !== terms.currency) return `currency ${report.currency}`;
  if (side !== undefined && side !== terms.side) return `side ${side}`;
  if (report.type !== terms.type) return `type ${report.type}`;
  if (report.quantity !== terms.quantity) return 'another quantity';
  if (isGreater(report.filledQuantity, report.quantity)) return 'more filled than was ordered';
  const differs = terms.type === 'limit' && price !== undefined && price !== terms.price;
  return differs ? 'another price' : undefined;
}

/** As `differenceOf`; while an amendment is unproved, the order may have either terms. */
export function contradictionOf(
  { terms, amending }: { readonly terms: OrderTerms; readonly amending: OrderTerms | undefined },
  report: OrderReport,
): string | undefined {
  const difference = differenceOf(terms, report);
  if (difference === undefined || amending === undefined) return difference;
  return differenceOf(amending, report) === undefined ? undefined : difference;
}

/**
 * The terms of an acknowledged order that was amended outside this bot. An amendment changes price
 * and quantity only. Undefined where the report shows our terms, or another order.
 */
export function manuallyAmendedTerms(
  terms: OrderTerms,
  report: OrderReport,
): OrderTerms | undefined {
  const { quantity, price } = report;
  const amended = {
    ...terms,
    quantity,
    ...(terms.type === 'limit' && price !== undefined && { price }),
  };
  const same = amended.quantity === terms.quantity && amended.price === terms.price;
  return same || differenceOf(amended, report) !== undefined ? undefined : amended;
}

/** Whether a report shows the fence that left under an order's id, instead of the order. */
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

/** Whether a report without a client id could be this order or its fence. */
export const mayBeOrderOrFence = ({ terms, fence }: Fenced, report: OrderReport): boolean =>
  isSameOrder(terms, report) || (fence !== undefined && isSameOrder(fence, report));

/** Whether a report without a client id could be an order with these terms. */
export const isSameOrder = (terms: OrderTerms, report: OrderReport): boolean =>
  report.role === 'trade' && differenceOf(terms, report) === undefined;
