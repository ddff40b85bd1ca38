import { machineOf, type Table } from '../machine.js';

/** Where a stop or target stands that a position shall have (hazards D1 to D14). */
export type ProtectState =
  /** Nothing of it is on its way: positions and the leg's order tell what there is to do. */
  | 'looking'
  /** An attempt left (or may have left) and is not answered. */
  | 'sent'
  /** Some attempt may have taken effect: look before anything else. */
  | 'verifying'
  /** The venue has it by its own word; positions and the leg's order have not both shown it yet. */
  | 'acknowledged'
  /** A leg that cannot be built on is being canceled: a canceled one meets no late edit. */
  | 'fencing'
  | ProtectEnd;

export type ProtectEnd =
  /** Its order is live and positions show it (D13). */
  | 'live'
  /** Every attempt under its last id was a proved no, or there were too many. */
  | 'refused'
  /** There is no position any more. */
  | 'gone'
  /** Never sent. */
  | 'dropped';

export type ProtectMove =
  | 'attempt'
  | 'yes'
  | 'no'
  | 'no-for-now'
  | 'unknown'
  /** Its order is there by its id; positions do not show it. */
  | 'found'
  /** Its order is live, positions show it, at the wanted price, over the whole position. */
  | 'shown'
  /** Neither: the same id and bytes may go again, and whichever lands is the one. */
  | 'not-found'
  /** Acknowledged, and not there any more: ended, or never to be seen. */
  | 'lost'
  /** Its id belongs to an order that has ended, or is burned: another id is needed (D4). */
  | 'id-used'
  | 'fence'
  | 'fenced'
  | 'position-gone'
  | 'give-up'
  | 'drop';

/**
 * The whole protocol of one leg. A `no` after an unknown never arrives as `no`: it is `unknown`, for
 * the refusal may be the doing of an attempt that landed (the join rule).
 */
const TABLE: Table<ProtectState, ProtectMove> = {
  looking: {
    attempt: 'sent',
    fence: 'fencing',
    shown: 'live',
    'position-gone': 'gone',
    'give-up': 'refused',
    drop: 'dropped',
  },
  sent: { yes: 'acknowledged', no: 'refused', 'no-for-now': 'looking', unknown: 'verifying' },
  verifying: {
    shown: 'live',
    found: 'acknowledged',
    'not-found': 'looking',
    'id-used': 'looking',
    'position-gone': 'gone',
    'give-up': 'refused',
  },
  acknowledged: {
    shown: 'live',
    lost: 'looking',
    fence: 'fencing',
    'position-gone': 'gone',
  },
  fencing: { fenced: 'looking' },
  live: {},
  refused: {},
  gone: {},
  dropped: {},
};

export const PROTECT = machineOf(TABLE, { initial: 'looking', unproved: ['sent', 'verifying'] });
