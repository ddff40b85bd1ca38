import { isFinal, type OrderReport } from '../../core/order.js';
import { isAtLeast, type Quantity } from '../../core/fixed.js';

/**
 * Where an order of ours stands (reliability part 0.8). `accepted` means that the venue has it;
 * `verifying` and `quarantined` that nobody has proved whether it does, so its exposure stays
 * reserved.
 */
export type OrderState =
  /** INTENT is journaled; no attempt was made. */
  | 'waiting'
  /** An attempt left (or may have left) and is not answered. */
  | 'sent'
  /** The last attempt was refused for the moment only (423, 429, not sent): it goes again. */
  | 'retrying'
  /** Some attempt may have taken effect: look before anything else. */
  | 'verifying'
  /** Unproved and no longer wanted: never sent again, watched until it cannot land. */
  | 'quarantined'
  | 'accepted'
  | EndState;

export type EndState =
  | 'filled'
  | 'canceled'
  /** Every attempt was a proved no. */
  | 'rejected'
  /** Never sent: too late, stopped or refused at the last look. */
  | 'dropped'
  /** The venue consumed the id without making an order (interface, client_order_id rule 4). */
  | 'burned';

/** What moves an order. */
export type OrderMove =
  | 'attempt'
  | 'yes'
  | 'no'
  | 'no-for-now'
  | 'unknown'
  | 'found'
  | 'not-found-wanted'
  | 'not-found-unwanted'
  | 'proved-burned'
  | 'resolved'
  | 'report-filled'
  | 'report-canceled'
  | 'drop';

/**
 * The whole protocol of placing in one table. A pair that is not here cannot happen; `move` asserts
 * it. A `no` after an unknown never arrives as `no`: the join rule turns it into `unknown`.
 */
const MOVES: Readonly<Record<OrderState, Partial<Record<OrderMove, OrderState>>>> = {
  waiting: { attempt: 'sent', drop: 'dropped' },
  sent: { yes: 'accepted', no: 'rejected', 'no-for-now': 'retrying', unknown: 'verifying' },
  retrying: {
    attempt: 'sent',
    drop: 'rejected',
    found: 'accepted',
    'not-found-unwanted': 'quarantined',
  },
  verifying: {
    found: 'accepted',
    'not-found-wanted': 'retrying',
    'not-found-unwanted': 'quarantined',
    'proved-burned': 'burned',
    resolved: 'canceled',
  },
  quarantined: { found: 'accepted', 'proved-burned': 'burned', resolved: 'canceled' },
  accepted: { 'report-filled': 'filled', 'report-canceled': 'canceled' },
  filled: {},
  canceled: {},
  rejected: {},
  dropped: {},
  burned: {},
};

export const nextState = (state: OrderState, move: OrderMove): OrderState | undefined =>
  MOVES[state][move];

const ENDS: ReadonlySet<OrderState> = new Set<OrderState>([
  'filled',
  'canceled',
  'rejected',
  'dropped',
  'burned',
]);
export const isEnd = (state: OrderState): state is EndState => ENDS.has(state);

/** The venue may have it, and nobody has proved whether it does. */
export const isUnproved = (state: OrderState): boolean =>
  state === 'verifying' || state === 'quarantined';

/** What a report says of an order's end. Filled quantity never shrinks (G10). */
export interface OrderProgress {
  readonly filled: Quantity;
  /** Nothing is left to fill. */
  readonly full: boolean;
  /** The status word says that no fill will follow, though there is something left. */
  readonly gone: boolean;
}

/**
 * Only a full order is over by one read. A word that ends it before must be repeated with the same
 * filled quantity (B4), and a cancelled remainder can stay PARTIAL_FILLED for ever (B5): then the
 * cancel's own evidence ends it.
 */
export function progressOf(report: OrderReport): OrderProgress {
  const full = isAtLeast(report.filledQuantity, report.quantity) && report.quantity > 0;
  return { filled: report.filledQuantity, full, gone: !full && isFinal(report.status) };
}
