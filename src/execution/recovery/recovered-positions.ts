import type { Currency } from '../../core/currency.js';
import { add, subtract, withSign, ZERO, type Quantity } from '../../core/fixed.js';
import { signOf, type OrderTerms } from '../../core/order.js';
import { withinPosition } from '../foreign-share.js';
import type { JournalRecord } from '../journal/journal-record.js';

/** A position that the journal leaves. */
export interface RecoveredPosition {
  readonly symbol: string;
  readonly currency: Currency;
  /** Signed; not 0. */
  readonly quantity: Quantity;
  /** What of it no order of ours explains; absent: nothing. */
  readonly foreign?: Quantity;
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
  const set = (
    symbol: string,
    currency: Currency,
    quantity: Quantity,
    share: Quantity | undefined,
  ): void => {
    const foreign = withinPosition(share ?? (ZERO as Quantity), quantity);
    const position = { symbol, currency, quantity, ...(foreign !== 0 && { foreign }) };
    positions.set(`${symbol}/${currency}`, position);
  };
  for (const record of records) {
    if (record.type === 'intent') {
      const { clientOrderId, terms } = record;
      orders.set(clientOrderId, { terms, filledQuantity: ZERO as Quantity });
    } else if (record.type === 'position') {
      set(record.symbol, record.currency, record.quantity, record.foreign);
    } else if (record.type === 'update') {
      const order = orders.get(record.clientOrderId);
      if (order === undefined) continue;
      const { symbol, currency, side } = order.terms;
      const delta = withSign(signOf(side), subtract(record.filledQuantity, order.filledQuantity));
      order.filledQuantity = record.filledQuantity;
      if (delta === 0) continue;
      const before = positions.get(`${symbol}/${currency}`);
      set(symbol, currency, add(before?.quantity ?? (ZERO as Quantity), delta), before?.foreign);
    }
  }
  return [...positions.values()].filter(({ quantity }) => quantity !== 0);
}

/** When the last fill of each symbol was learnt, ms at the venue. */
export function recoverFillTimes(records: readonly JournalRecord[]): ReadonlyMap<string, number> {
  const symbols = new Map<string, string>();
  const times = new Map<string, number>();
  const filled = (symbol: string, at: number): void => {
    times.set(symbol, Math.max(at, times.get(symbol) ?? at));
  };
  for (const record of records) {
    if (record.type === 'intent') symbols.set(record.clientOrderId, record.terms.symbol);
    if (record.type === 'past' && record.filledQuantity !== 0) {
      filled(record.terms.symbol, record.venueTime);
    }
    if (record.type !== 'update' || record.filledQuantity === 0) continue;
    const symbol = symbols.get(record.clientOrderId);
    if (symbol !== undefined) filled(symbol, record.venueTime);
  }
  return times;
}
