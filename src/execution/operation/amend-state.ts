import { machineOf, type Table } from '../machine.js';

/** Where another price and quantity for a resting order stands (hazards C1 to C7). */
export type AmendState =
  | 'waiting'
  | 'sent'
  /** Refused for the moment only: it goes again, while nothing of the order has filled. */
  | 'retrying'
  /** It may have taken effect, or may yet: the order's price and quantity tell. */
  | 'verifying'
  /** The venue said yes; the order has not shown it yet. */
  | 'acknowledged'
  /** Not proved in time: the order is being canceled, because a canceled one meets no late edit. */
  | 'fencing'
  | AmendEnd;

export type AmendEnd =
  /** The order showed the new price and quantity. */
  | 'applied'
  /** The order has ended, by its fence or by itself: nothing can change it any more. */
  | 'fenced'
  /** Every attempt was a proved no: the order is as it was. */
  | 'refused'
  /** Never sent. */
  | 'dropped';

export type AmendMove =
  | 'attempt'
  | 'yes'
  | 'no'
  | 'no-for-now'
  | 'unknown'
  /** The order shows the new price and quantity. */
  | 'shows-new'
  /** The order has been showing the old ones for as long as a read may lag. */
  | 'shows-old'
  | 'order-ended'
  | 'drop';

/** The whole protocol. One attempt that may have landed is never followed by a second (C2). */
const TABLE: Table<AmendState, AmendMove> = {
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

export const AMEND = machineOf(TABLE, {
  initial: 'waiting',
  unproved: ['sent', 'verifying', 'acknowledged', 'fencing'],
});
