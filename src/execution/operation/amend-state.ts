import { createStateMachine, type TransitionTable } from '../state-machine.js';

/** State of an amendment: a new price and quantity for a resting order (hazards C1 to C7). */
export type AmendState =
  | 'waiting'
  | 'sent'
  /** Refused temporarily: it is sent again while nothing of the order has filled. */
  | 'retrying'
  /** It may have taken effect, or may still: reads of the order decide. */
  | 'verifying'
  /** Acknowledged; the order does not show it yet. */
  | 'acknowledged'
  /** Not proved in time: the order is being canceled, since no edit reaches a canceled order. */
  | 'fencing'
  | AmendEnd;

export type AmendEnd =
  /** The order shows the new price and quantity. */
  | 'applied'
  /** The order has ended, canceled or by itself: nothing can change it any more. */
  | 'fenced'
  /** Every attempt was refused: the order is unchanged. */
  | 'refused'
  /** Never sent. */
  | 'dropped';

export type AmendEvent =
  | 'attempt'
  | 'yes'
  | 'no'
  | 'no-for-now'
  | 'unknown'
  /** The order shows the new price and quantity. */
  | 'shows-new'
  /** The order has shown the old terms for as long as a read may lag. */
  | 'shows-old'
  | 'order-ended'
  | 'drop';

/**
 * The whole protocol. An attempt that may have landed is never followed by a second one (hazard
 * C2).
 */
const TRANSITIONS: TransitionTable<AmendState, AmendEvent> = {
  waiting: { attempt: 'sent', drop: 'dropped', 'order-ended': 'dropped' },
  sent: {
    yes: 'acknowledged',
    no: 'refused',
    'no-for-now': 'retrying',
    unknown: 'verifying',
    'order-ended': 'fenced',
  },
  retrying: { attempt: 'sent', drop: 'refused', 'order-ended': 'refused' },
  verifying: { 'shows-new': 'applied', 'shows-old': 'fencing', 'order-ended': 'fenced' },
  acknowledged: { 'shows-new': 'applied', 'shows-old': 'fencing', 'order-ended': 'fenced' },
  fencing: { 'order-ended': 'fenced' },
  applied: {},
  fenced: {},
  refused: {},
  dropped: {},
};

export const AMEND_MACHINE = createStateMachine(TRANSITIONS, {
  initial: 'waiting',
  unproved: ['sent', 'verifying', 'acknowledged', 'fencing'],
});
