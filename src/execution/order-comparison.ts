import type { OrderReport, OrderTerms } from '../core/order.js';

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
  if (report.filledQuantity > report.quantity) return 'more filled than was ordered';
  const differs = terms.type === 'limit' && price !== undefined && price !== terms.price;
  return differs ? 'another price' : undefined;
}

/** Whether a report that does not tell its client id could be of an order with these terms. */
export const isSameOrder = (terms: OrderTerms, report: OrderReport): boolean =>
  report.role === 'trade' && differenceOf(terms, report) === undefined;
