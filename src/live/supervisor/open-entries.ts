import type { OrderRef } from '../../core/order.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { isEndState } from '../../execution/order/order-state.js';
import { recoverOrders } from '../../execution/recovery/recovered-orders.js';

/** An order of ours that may open or add to a position, and may rest at the venue. */
export interface OpenEntry {
  readonly clientOrderId: string;
  readonly symbol: string;
  /** By the venue's id where the journal knows it. */
  readonly ref: OrderRef;
}

/**
 * The entries that left and have not ended, as the journal knows them. Reduce-only orders are not among them, and
 * neither are stops and targets of positions: those stay in force.
 */
export const openEntries = (
  records: readonly JournalRecord[],
  account: string,
): readonly OpenEntry[] =>
  recoverOrders(records, account)
    .filter(({ state }) => !isEndState(state))
    .map((recovered, key) => recovered.create(key))
    .filter(({ attempts, terms }) => attempts > 0 && !terms.reduceOnly)
    .map(({ clientOrderId, orderId, terms }) => ({
      clientOrderId,
      symbol: terms.symbol,
      ref: orderId === undefined ? { clientOrderId } : { orderId },
    }));
