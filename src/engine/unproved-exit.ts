import type { Currency } from '../core/currency.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OwnOrder } from '../execution/order/own-order.js';

/**
 * The reduction of a book that was given up on and may still land: nothing is put on meanwhile, because it
 * would take that off.
 */
export function unprovedExit(
  ledger: Pick<OrderLedger, 'active'>,
  symbol: string,
  currency: Currency,
): OwnOrder | undefined {
  return ledger.active(symbol, currency).find(holdsEntries);
}

/** Whether entries of its book wait until its outcome is proved. */
export const holdsEntries = ({ terms, state }: OwnOrder): boolean =>
  terms.reduceOnly && state === 'quarantined';
