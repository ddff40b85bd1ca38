import { isTerminalStatus, type OrderReport } from '../../core/order.js';
import { isAtLeast, type Quantity } from '../../core/fixed/fixed.js';

/**
 * State of an order of ours. `accepted`: the venue has it. `verifying` and `quarantined`: it is not
 * proved whether the venue has it, so that its exposure stays reserved.
 */
export type OrderState =
  /** The intent is journaled; no attempt was made. */
  | 'waiting'
  /** An attempt left, or may have left, and has no reply. */
  | 'sent'
  /** The last attempt was refused temporarily (423, 429, not sent): it is repeated unchanged. */
  | 'retrying'
  /** An attempt may have taken effect: only lookups follow until that is decided. */
  | 'verifying'
  /** Unproved and withdrawn: never sent again, and watched until it cannot land. */
  | 'quarantined'
  | 'accepted'
  | EndState;

export type EndState =
  | 'filled'
  | 'canceled'
  /** Every attempt was refused. */
  | 'rejected'
  /** Never sent: too late, stopped, or refused by the recheck before sending. */
  | 'dropped'
  /** The venue consumed the id without making an order (interface: order create). */
  | 'burned';

export type OrderEvent =
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
 * The whole protocol of an order in one table. A pair that is missing cannot happen;
 * `OwnOrder.apply` asserts it. A rejection after an unclear attempt arrives as `unknown`, never as
 * `no`: the earlier attempt may have landed.
 */
const TRANSITIONS: Readonly<Record<OrderState, Partial<Record<OrderEvent, OrderState>>>> = {
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

export const nextState = (state: OrderState, event: OrderEvent): OrderState | undefined =>
  TRANSITIONS[state][event];

const ENDS: ReadonlySet<OrderState> = new Set<OrderState>([
  'filled',
  'canceled',
  'rejected',
  'dropped',
  'burned',
]);
export const isEndState = (state: OrderState): state is EndState => ENDS.has(state);

/** It is not proved whether the venue has the order. */
export const isUnproved = (state: OrderState): boolean =>
  state === 'verifying' || state === 'quarantined';

/** Progress that a report shows. The filled quantity never shrinks (hazard G10). */
export interface OrderProgress {
  readonly filled: Quantity;
  /** Nothing is left to fill. */
  readonly fullyFilled: boolean;
  /** The status says that no fill follows, and a part is unfilled. */
  readonly endedEarly: boolean;
}

/**
 * One read proves only a full fill. Any other end must be read twice with the same filled quantity
 * (hazard B4). A canceled remainder can stay PARTIAL_FILLED for ever (hazard B5), so that the
 * cancel's own evidence ends it.
 */
export function progressOf(report: OrderReport): OrderProgress {
  const fullyFilled = isAtLeast(report.filledQuantity, report.quantity) && report.quantity > 0;
  return {
    filled: report.filledQuantity,
    fullyFilled,
    endedEarly: !fullyFilled && isTerminalStatus(report.status),
  };
}
