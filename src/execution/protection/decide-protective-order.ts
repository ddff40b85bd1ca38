import type { PositionReport } from '../../core/account.js';
import { isAtLeast, isGreater, isLess, type Price } from '../../core/fixed/fixed.js';
import { isTerminalStatus, type OrderReport } from '../../core/order.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';

/** Evidence of two reads about a protective order; no request of it is in flight. */
export interface ProtectiveOrderEvidence {
  readonly state: 'looking' | 'verifying' | 'acknowledged';
  readonly slot: ProtectiveOrderSlot;
  readonly targetPrice: Price;
  /** The row of positions. */
  readonly row: PositionReport;
  /**
   * The order that the row names in this slot, else the one of our own id. Absent: none was looked
   * up. `unclear`: no usable reply, which is no evidence.
   */
  readonly order: OrderReport | 'not-found' | 'unclear' | undefined;
  /** Our id, where one was sent. */
  readonly clientOrderId: string | undefined;
  /** An edit of this order may still land: it cannot be edited to another price (as hazard C2). */
  readonly hasUnconfirmedEdit: (orderId: string) => boolean;
  /** Reads have had time to show what the venue acknowledged. */
  readonly overdue: boolean;
  /** After a 409: whether lookups have missed the id for long enough. Absent: no 409. */
  readonly burned: boolean | undefined;
  /** The venue refused it after an attempt that is unproved. */
  readonly refused: boolean;
}

/** An event of the state table, or a request. */
export type ProtectiveOrderDecision =
  | { readonly kind: 'move'; readonly move: 'found' | 'not-found' | 'lost' | 'id-used' | 'give-up' }
  | { readonly kind: 'live'; readonly orderId: string; readonly evidence: string }
  | { readonly kind: 'set' }
  | { readonly kind: 'edit'; readonly orderId: string; readonly from: Price }
  | { readonly kind: 'fence'; readonly orderId: string }
  | { readonly kind: 'wait' };

const WAIT: ProtectiveOrderDecision = { kind: 'wait' };
const SET: ProtectiveOrderDecision = { kind: 'set' };
const transition = (
  move: Extract<ProtectiveOrderDecision, { kind: 'move' }>['move'],
): ProtectiveOrderDecision => ({
  kind: 'move',
  move,
});

/** Decides the next step of a protective order; a pure function of the evidence. */
export function decideProtectiveOrder(evidence: ProtectiveOrderEvidence): ProtectiveOrderDecision {
  const { row, slot, order } = evidence;
  const shown = row[slot];
  if (order === 'unclear') return WAIT;
  if (shown === undefined) return decideWhenHidden(evidence);
  // Positions name an order that its own lookup does not find: neither is reliable.
  if (order === undefined || order === 'not-found') return WAIT;
  if (isTerminalStatus(order.status)) return decideWhenEnded(evidence, order);
  return decideWhenShown(evidence, shown.price, order);
}

function decideWhenShown(
  evidence: ProtectiveOrderEvidence,
  shown: Price,
  order: OrderReport,
): ProtectiveOrderDecision {
  const { state, row, targetPrice, overdue, hasUnconfirmedEdit } = evidence;
  const { orderId } = order;
  const at = order.price ?? shown;
  if (at === targetPrice && shown === targetPrice) {
    return coversPosition(order, row)
      ? { kind: 'live', orderId, evidence: `order ${orderId} is live and positions show it` }
      : fenceOr(state, orderId, WAIT);
  }
  if (isTighter(evidence, at) && shown === at) {
    const text = `a tighter stop is already there: order ${orderId} is live and positions show it`;
    return { kind: 'live', orderId, evidence: text };
  }
  if (state === 'looking') {
    return hasUnconfirmedEdit(orderId)
      ? { kind: 'fence', orderId }
      : { kind: 'edit', orderId, from: at };
  }
  if (state === 'verifying') return transition('not-found');
  return overdue ? transition('lost') : WAIT;
}

/**
 * The row names an order that has ended: the list lags, or the order has just triggered (hazard
 * D13).
 */
function decideWhenEnded(
  evidence: ProtectiveOrderEvidence,
  order: OrderReport,
): ProtectiveOrderDecision {
  const { state, clientOrderId, overdue } = evidence;
  if (order.status === 'filled') return WAIT;
  const own = clientOrderId !== undefined && order.clientOrderId === clientOrderId;
  if (state === 'looking') return SET;
  if (state === 'verifying') return transition(own ? 'id-used' : 'not-found');
  return own || overdue ? transition('lost') : WAIT;
}

/** The row names no order; `order` is the one of our own id. */
function decideWhenHidden(evidence: ProtectiveOrderEvidence): ProtectiveOrderDecision {
  const { state, order, overdue, burned, refused } = evidence;
  if (state === 'looking') return SET;
  if (order === undefined || order === 'not-found') {
    if (state === 'acknowledged') return overdue ? transition('lost') : WAIT;
    if (burned !== undefined) return burned ? transition('id-used') : WAIT;
    return transition(refused ? 'give-up' : 'not-found');
  }
  if (order === 'unclear' || order.status === 'filled') return WAIT;
  if (isTerminalStatus(order.status)) return transition(state === 'verifying' ? 'id-used' : 'lost');
  if (state === 'verifying') return transition('found');
  // It is live by its id and no position shows it: canceled, so that no second stop can result.
  return overdue ? { kind: 'fence', orderId: order.orderId } : WAIT;
}

/** In `verifying` nothing is canceled before it is known what is at the venue. */
const fenceOr = (
  state: ProtectiveOrderEvidence['state'],
  orderId: string,
  otherwise: ProtectiveOrderDecision,
): ProtectiveOrderDecision => (state === 'verifying' ? otherwise : { kind: 'fence', orderId });

/**
 * A protective order of quantity 0 covers the whole position (supplement: protective orders; hazard
 * D7).
 */
const coversPosition = ({ quantity }: OrderReport, row: PositionReport): boolean =>
  quantity === 0 || isAtLeast(quantity, row.quantity);

/** A stop is never moved away from the market (hazard D12). */
const isTighter = ({ slot, row, targetPrice }: ProtectiveOrderEvidence, at: Price): boolean =>
  slot === 'stopLoss' &&
  (row.side === 'long' ? isGreater(at, targetPrice) : isLess(at, targetPrice));
