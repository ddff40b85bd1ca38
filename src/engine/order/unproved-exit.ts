import type { Currency } from '../../core/currency.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OwnOrder } from '../../execution/order/own-order.js';

/**
 * An abandoned reduction that may still land. Entries of its symbol wait, because it would reduce them.
 */
export function unprovedExit(
  ledger: Pick<OrderLedger, 'openOrders'>,
  symbol: string,
  currency: Currency,
): OwnOrder | undefined {
  return ledger.openOrders(symbol, currency).find(blocksEntries);
}

/** Whether entries of its symbol wait until its outcome is proved. */
export const blocksEntries = ({ terms, state }: OwnOrder): boolean =>
  terms.reduceOnly && state === 'quarantined';
