import type { PositionReport } from '../../core/account.js';
import { isAtLeast, type Price, type Quantity } from '../../core/fixed/fixed.js';
import { isTerminalStatus, type OrderReport } from '../../core/order.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { DecidedProtectivePrice } from '../../execution/protection/managed-protective-order.js';

/** Last read of a stop's own order; absent: none. */
export type StopOrder = Pick<OrderReport, 'status' | 'quantity'> | undefined;

export interface StopReconciliationInput {
  /** Required trigger price; absent: no stop is required. */
  readonly required: Price | undefined;
  /** Our own share of the position, signed. */
  readonly own: Quantity;
  /** The position's row; absent: the list has none. */
  readonly row: PositionReport | undefined;
  /** Order of the stop in the row. */
  readonly stop: StopOrder;
}

/**
 * Whether a position has its required stop.
 *
 * Invariants, each tested:
 *
 * 1. A position without a required stop, a flat one and an external one are never naked.
 * 2. A list without the position is no evidence: it may be a transient gap (hazard G1).
 * 3. `guarded` needs a stop in the row. Its own order must not have ended (hazard D13) or be too small
 *    (hazard D7). Quantity 0 is the whole position. Its price may differ, because a person may move it (hazard
 *    D12).
 * 4. A filled stop is about to show as a close: `untold`, and no other stop is set (hazard D8).
 * 5. A stop that the row shows without its order is `untold`: it may exist without proof.
 * 6. Better evidence never worsens the verdict: a row with a live stop is guarded after any earlier verdict.
 */
export type StopVerdict = 'not-wanted' | 'untold' | 'guarded' | 'naked';

export function judgeStop({ required, own, row, stop }: StopReconciliationInput): StopVerdict {
  if (required === undefined || own === 0) return 'not-wanted';
  if (row === undefined || (row.side === 'long') !== own > 0) return 'untold';
  if (row.stopLoss === undefined) return 'naked';
  if (row.stopLoss.orderId === undefined) return 'untold';
  if (stop === undefined) return 'guarded';
  if (stop.status === 'filled') return 'untold';
  if (isTerminalStatus(stop.status)) return 'naked';
  return stop.quantity === 0 || isAtLeast(stop.quantity, row.quantity) ? 'guarded' : 'naked';
}

/**
 * The last decided trigger price of a slot: of the entry on the position's side that filled last, or where it was moved
 * after that entry's decision. An order that rested for long fills after newer ones; among fills of one moment the
 * newest order counts. Fills of two entries may become known in the wrong order, so that an entry of the other side
 * never counts: it has only reduced this position.
 */
export function decidedTrigger(
  orders: readonly OwnOrder[],
  position: OwnPositionKey,
  slot: ProtectiveOrderSlot,
  moved?: DecidedProtectivePrice,
): Price | undefined {
  const entry = lastFilledEntry(orders, position);
  if (entry === undefined) return undefined;
  return moved !== undefined && moved.requestedAt >= entry.intent.decidedAt
    ? moved.price
    : entry.terms[slot];
}

function lastFilledEntry(
  orders: readonly OwnOrder[],
  { symbol, currency, own }: OwnPositionKey,
): OwnOrder | undefined {
  let last: OwnOrder | undefined;
  for (const order of orders) {
    const { terms, filledQuantity, lastFilledAt } = order;
    if (terms.symbol !== symbol || terms.currency !== currency) continue;
    if (terms.reduceOnly || filledQuantity === 0) continue;
    if ((terms.side === 'buy') !== own > 0) continue;
    if (last === undefined || lastFilledAt >= last.lastFilledAt) last = order;
  }
  return last;
}

type OwnPositionKey = Pick<PositionReport, 'symbol' | 'currency'> & { readonly own: Quantity };
