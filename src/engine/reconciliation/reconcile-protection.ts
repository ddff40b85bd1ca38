import type { PositionReport } from '../../core/account.js';
import { isAtLeast, type Price, type Quantity } from '../../core/fixed.js';
import { isFinal, type OrderReport } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { DecidedLeg } from '../../execution/protection/protection-leg.js';

/** What a stop's own order was last read to be; absent: it was not. */
export type StopOrder = Pick<OrderReport, 'status' | 'quantity'> | undefined;

export interface GuardSides {
  /** Trigger price that the position shall have; absent: it need not have a stop. */
  readonly wanted: Price | undefined;
  /** What of it is ours, signed. */
  readonly own: Quantity;
  /** As positions show it; absent: they show none. */
  readonly row: PositionReport | undefined;
  /** The order of the stop that the row shows. */
  readonly stop: StopOrder;
}

/**
 * Whether a position is guarded as it should be.
 *
 * What holds, and is tested as such:
 *
 * 1. What nobody wants guarded, what is flat and what is not ours is never naked.
 * 2. A list without the position says nothing: a blip is no reason to act (G1).
 * 3. `guarded` wants a stop in the row, which no read of its own order calls ended (D13) or too small
 *    (D7). Quantity 0 is the whole position; the price may be another, since a person may move it (D12).
 * 4. A stop that has filled is about to show as a close: `untold`, and nothing is set beside it (D8).
 * 5. A stop that the row shows without its order is `untold`: it may stand, and nothing proves it.
 * 6. Better news never makes it worse: a row with a live stop is guarded whatever was read before.
 */
export type GuardVerdict = 'not-wanted' | 'untold' | 'guarded' | 'naked';

export function judgeGuard({ wanted, own, row, stop }: GuardSides): GuardVerdict {
  if (wanted === undefined || own === 0) return 'not-wanted';
  if (row === undefined || (row.side === 'long') !== own > 0) return 'untold';
  if (row.stopLoss === undefined) return 'naked';
  if (row.stopLoss.orderId === undefined) return 'untold';
  if (stop === undefined) return 'guarded';
  if (stop.status === 'filled') return 'untold';
  if (isFinal(stop.status)) return 'naked';
  return stop.quantity === 0 || isAtLeast(stop.quantity, row.quantity) ? 'guarded' : 'naked';
}

/**
 * The stop that was wanted last: that of the newest entry which made a position, or what it was moved to
 * after that entry was decided on.
 */
export function wantedStop(
  orders: readonly OwnOrder[],
  sides: PositionOfOurs,
  moved?: DecidedLeg,
): Price | undefined {
  const { symbol, currency, own } = sides;
  for (let at = orders.length - 1; at >= 0; at -= 1) {
    const order = orders[at];
    if (order === undefined || order.terms.symbol !== symbol) continue;
    const { terms, filledQuantity } = order;
    if (terms.currency !== currency || terms.reduceOnly || filledQuantity === 0) continue;
    if ((terms.side === 'buy') !== own > 0) return undefined;
    return moved !== undefined && moved.wantedAt >= order.intent.decidedAt
      ? moved.price
      : terms.stopLoss;
  }
  return undefined;
}

type PositionOfOurs = Pick<PositionReport, 'symbol' | 'currency'> & { readonly own: Quantity };
