import { createStateMachine, type TransitionTable } from '../state-machine.js';

/** State of a stop or target that a position must have (hazards D1 to D14). */
export type ProtectState =
  /** No request is in flight: positions and the order decide what to do. */
  | 'looking'
  /** An attempt left, or may have left, and has no reply. */
  | 'sent'
  /** An attempt may have taken effect: reads decide before anything else is sent. */
  | 'verifying'
  /** Acknowledged; positions and the order have not both shown it yet. */
  | 'acknowledged'
  /** An unreliable order is being canceled: a canceled order cannot be edited late. */
  | 'fencing'
  | ProtectEnd;

export type ProtectEnd =
  /** The order is live and positions show it (hazard D13). */
  | 'live'
  /** Every attempt under its last id was refused, or there were too many. */
  | 'refused'
  /** There is no position any more. */
  | 'gone'
  /** Never sent. */
  | 'dropped';

export type ProtectEvent =
  | 'attempt'
  | 'yes'
  | 'no'
  | 'no-for-now'
  | 'unknown'
  /** The lookup by id finds the order; positions do not show it. */
  | 'found'
  /** The order is live and positions show it, at the requested price, over the whole position. */
  | 'shown'
  /** Neither finds it: the same id and bytes may be sent again, since only one can land. */
  | 'not-found'
  /** Acknowledged, and not found any more: ended, or never made. */
  | 'lost'
  /** Its id belongs to an ended order, or is burned: another id is needed (hazard D4). */
  | 'id-used'
  | 'fence'
  | 'fenced'
  | 'position-gone'
  | 'give-up'
  | 'drop';

/**
 * The whole protocol of one protective order. A refusal after an unclear attempt arrives as
 * `unknown`, never as `no`: the earlier attempt may have landed.
 */
const TRANSITIONS: TransitionTable<ProtectState, ProtectEvent> = {
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

export const PROTECT_MACHINE = createStateMachine(TRANSITIONS, {
  initial: 'looking',
  unproved: ['sent', 'verifying'],
});
