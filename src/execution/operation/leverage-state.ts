import { createStateMachine, type TransitionTable } from '../state-machine.js';

/** State of a symbol's leverage. Setting one value twice is harmless (hazards A33, F4). */
export type LeverageState =
  /** The current value is being read, or will be. */
  | 'reading'
  /** A set left, or may have left, and has no reply. */
  | 'sent'
  | LeverageEnd;

export type LeverageEnd =
  /** A read shows it. */
  | 'set'
  /** The venue refuses the value. */
  | 'refused'
  /** Sets were acknowledged and do not last: something else sets it too. */
  | 'contested'
  /** Nothing was sent, and nothing will be. */
  | 'dropped';

export type LeverageEvent =
  | 'attempt'
  | 'yes'
  | 'no'
  /** 423, 429, or proof that no byte left. */
  | 'no-for-now'
  | 'unknown'
  | 'shows-value'
  | 'does-not-stay'
  | 'drop';

/** The whole protocol: after any reply to a set, a read decides. */
const TRANSITIONS: TransitionTable<LeverageState, LeverageEvent> = {
  reading: {
    attempt: 'sent',
    'shows-value': 'set',
    'does-not-stay': 'contested',
    drop: 'dropped',
  },
  sent: { yes: 'reading', 'no-for-now': 'reading', unknown: 'reading', no: 'refused' },
  set: {},
  refused: {},
  contested: {},
  dropped: {},
};

export const LEVERAGE_MACHINE = createStateMachine(TRANSITIONS, {
  initial: 'reading',
  unproved: ['sent'],
});
