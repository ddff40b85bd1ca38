import type { PositionReport } from '../../core/account.js';
import { isAtLeast, isMore, isLess, type Price } from '../../core/fixed.js';
import { isFinal, type OrderReport } from '../../core/order.js';
import type { LegSlot } from '../../core/request.js';

/** What two reads say of a leg that is wanted; nothing of it is on its way. */
export interface LegEvidence {
  readonly state: 'looking' | 'verifying' | 'acknowledged';
  readonly slot: LegSlot;
  readonly wanted: Price;
  /** Positions, read last. */
  readonly row: PositionReport;
  /**
   * The order that the row shows in this slot, else the one of our own id. Absent: none was looked
   * for. `unclear`: no answer, which is no evidence.
   */
  readonly order: OrderReport | 'not-found' | 'unclear' | undefined;
  /** Our id, where one was sent. */
  readonly clientOrderId: string | undefined;
  /** An edit of this order may still land: it cannot be edited to anything else (as C2). */
  readonly isDirty: (orderId: string) => boolean;
  /** Reads have had their time to show what the venue acknowledged. */
  readonly overdue: boolean;
  /** A 409 was read, and lookups have missed the id so long that it is burned; absent: no 409. */
  readonly burned: boolean | undefined;
  /** The venue refused it since an attempt that is not proved. */
  readonly refused: boolean;
}

/** What to do about it: a move of the table, or a request. */
export type LegJudgement =
  | { readonly kind: 'move'; readonly move: 'found' | 'not-found' | 'lost' | 'id-used' | 'give-up' }
  | { readonly kind: 'live'; readonly orderId: string; readonly evidence: string }
  | { readonly kind: 'set' }
  | { readonly kind: 'edit'; readonly orderId: string; readonly from: Price }
  | { readonly kind: 'fence'; readonly orderId: string }
  | { readonly kind: 'wait' };

const WAIT: LegJudgement = { kind: 'wait' };
const SET: LegJudgement = { kind: 'set' };
const moveBy = (move: Extract<LegJudgement, { kind: 'move' }>['move']): LegJudgement => ({
  kind: 'move',
  move,
});

/** Pure: the same evidence has the same judgement. */
export function judgeLeg(evidence: LegEvidence): LegJudgement {
  const { row, slot, order } = evidence;
  const shown = row[slot];
  if (order === 'unclear') return WAIT;
  if (shown === undefined) return judgeHidden(evidence);
  // Positions name an order that the venue does not know by its own id: neither can be built on.
  if (order === undefined || order === 'not-found') return WAIT;
  if (isFinal(order.status)) return judgeEnded(evidence, order);
  return judgeShown(evidence, shown.price, order);
}

function judgeShown(evidence: LegEvidence, shown: Price, order: OrderReport): LegJudgement {
  const { state, row, wanted, overdue, isDirty } = evidence;
  const { orderId } = order;
  const at = order.price ?? shown;
  if (at === wanted && shown === wanted) {
    return coversPosition(order, row)
      ? { kind: 'live', orderId, evidence: `order ${orderId} is live and positions show it` }
      : fenceOr(state, orderId, WAIT);
  }
  if (isTighter(evidence, at) && shown === at) {
    const text = `a tighter stop stands already: order ${orderId} is live and positions show it`;
    return { kind: 'live', orderId, evidence: text };
  }
  if (state === 'looking') {
    return isDirty(orderId) ? { kind: 'fence', orderId } : { kind: 'edit', orderId, from: at };
  }
  if (state === 'verifying') return moveBy('not-found');
  return overdue ? moveBy('lost') : WAIT;
}

/** The row shows an order that has ended: the list lags, or the leg has just fired (D13). */
function judgeEnded(evidence: LegEvidence, order: OrderReport): LegJudgement {
  const { state, clientOrderId, overdue } = evidence;
  if (order.status === 'filled') return WAIT;
  const own = clientOrderId !== undefined && order.clientOrderId === clientOrderId;
  if (state === 'looking') return SET;
  if (state === 'verifying') return moveBy(own ? 'id-used' : 'not-found');
  return own || overdue ? moveBy('lost') : WAIT;
}

/** The row shows none; `order` is the one of our own id. */
function judgeHidden(evidence: LegEvidence): LegJudgement {
  const { state, order, overdue, burned, refused } = evidence;
  if (state === 'looking') return SET;
  if (order === undefined || order === 'not-found') {
    if (state === 'acknowledged') return overdue ? moveBy('lost') : WAIT;
    if (burned !== undefined) return burned ? moveBy('id-used') : WAIT;
    return moveBy(refused ? 'give-up' : 'not-found');
  }
  if (order === 'unclear' || order.status === 'filled') return WAIT;
  if (isFinal(order.status)) return moveBy(state === 'verifying' ? 'id-used' : 'lost');
  if (state === 'verifying') return moveBy('found');
  // It is live by its id and no position shows it: it must not become one of two stops.
  return overdue ? { kind: 'fence', orderId: order.orderId } : WAIT;
}

/** In `verifying` nothing is fenced before it is known what is there. */
const fenceOr = (
  state: LegEvidence['state'],
  orderId: string,
  otherwise: LegJudgement,
): LegJudgement => (state === 'verifying' ? otherwise : { kind: 'fence', orderId });

/** A leg shows quantity 0 when it is for the whole position (supplement part 6; hazard D7). */
const coversPosition = ({ quantity }: OrderReport, row: PositionReport): boolean =>
  quantity === 0 || isAtLeast(quantity, row.quantity);

/** A stop is not moved away from the market (D12). */
const isTighter = ({ slot, row, wanted }: LegEvidence, at: Price): boolean =>
  slot === 'stopLoss' && (row.side === 'long' ? isMore(at, wanted) : isLess(at, wanted));
