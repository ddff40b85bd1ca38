import type { Currency } from '../../core/currency.js';
import { add, subtract, withSign, ZERO, type Quantity } from '../../core/fixed/fixed.js';
import { sideSign, type OrderTerms } from '../../core/order.js';
import { withinPosition } from '../external-share.js';
import type { JournalRecord } from '../journal/journal-record.js';

/** An open position when the journal ended. */
export interface RecoveredPosition {
  readonly symbol: string;
  readonly currency: Currency;
  /** Signed; not 0. */
  readonly quantity: Quantity;
  /** Part that no order of ours explains; absent: none. */
  readonly foreign?: Quantity;
}

/** Signed quantity without the part that no order of ours explains. */
export const ownShareOf = ({ quantity, foreign = ZERO as Quantity }: RecoveredPosition): Quantity =>
  subtract(quantity, foreign);

interface FollowedOrder {
  readonly terms: OrderTerms;
  filledQuantity: Quantity;
}

/**
 * Tracked positions when the journal ended: the last recorded quantity, and every later fill of our
 * orders. A retired position has no owner: all of it is external.
 */
export function recoverPositions(records: readonly JournalRecord[]): readonly RecoveredPosition[] {
  const orders = new Map<string, FollowedOrder>();
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
    } else if (record.type === 'ownership') {
      const { decision, close, symbols } = record;
      if (decision !== 'retire' || close === true) continue;
      for (const each of [...positions.values()])
        if (symbols.includes(each.symbol))
          set(each.symbol, each.currency, each.quantity, each.quantity);
    } else if (record.type === 'update') {
      const order = orders.get(record.clientOrderId);
      if (order === undefined) continue;
      const { symbol, currency, side } = order.terms;
      const delta = withSign(sideSign(side), subtract(record.filledQuantity, order.filledQuantity));
      order.filledQuantity = record.filledQuantity;
      if (delta === 0) continue;
      const before = positions.get(`${symbol}/${currency}`);
      set(symbol, currency, add(before?.quantity ?? (ZERO as Quantity), delta), before?.foreign);
    }
  }
  return [...positions.values()].filter(({ quantity }) => quantity !== 0);
}

/** Venue ms of the last fill of each symbol. */
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
