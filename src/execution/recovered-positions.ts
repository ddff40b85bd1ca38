import type { Currency } from '../core/currency.js';
import { fixed, ZERO, type Quantity } from '../core/fixed.js';
import { signOf, type OrderTerms } from '../core/order.js';
import type { JournalRecord } from './journal-record.js';

/** A position that the journal leaves. */
export interface RecoveredPosition {
  readonly symbol: string;
  readonly currency: Currency;
  /** Signed; not 0. */
  readonly quantity: Quantity;
}

interface Followed {
  readonly terms: OrderTerms;
  filledQuantity: Quantity;
}

/**
 * What was believed when the journal ended: the last position that it names, and every fill of ours
 * after it.
 */
export function recoverPositions(records: readonly JournalRecord[]): readonly RecoveredPosition[] {
  const orders = new Map<string, Followed>();
  const positions = new Map<string, RecoveredPosition>();
  const set = (symbol: string, currency: Currency, quantity: Quantity): void => {
    positions.set(`${symbol}/${currency}`, { symbol, currency, quantity });
  };
  for (const record of records) {
    if (record.type === 'intent') {
      const { clientOrderId, terms } = record;
      orders.set(clientOrderId, { terms, filledQuantity: ZERO as Quantity });
    } else if (record.type === 'position') set(record.symbol, record.currency, record.quantity);
    else if (record.type === 'update') {
      const order = orders.get(record.clientOrderId);
      if (order === undefined) continue;
      const { symbol, currency, side } = order.terms;
      const delta = signOf(side) * (record.filledQuantity - order.filledQuantity);
      order.filledQuantity = record.filledQuantity;
      if (delta === 0) continue;
      const before = positions.get(`${symbol}/${currency}`)?.quantity ?? 0;
      set(symbol, currency, fixed(before + delta));
    }
  }
  return [...positions.values()].filter(({ quantity }) => quantity !== 0);
}
