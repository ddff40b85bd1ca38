import { machineOf, type Table } from '../machine.js';

/** Where the leverage of one symbol stands. Setting a value twice is setting it once (F4, A33). */
export type LeverageState =
  /** What the venue has is being read, or will be. */
  | 'reading'
  /** A set left (or may have left) and is not answered. */
  | 'sent'
  | LeverageEnd;

export type LeverageEnd =
  /** A read showed it. */
  | 'set'
  /** The venue refuses the value. */
  | 'refused'
  /** Sets were taken and do not stay: somebody else sets it too. */
  | 'contested'
  /** Nothing was sent, and nothing is to be. */
  | 'dropped';

export type LeverageMove =
  | 'attempt'
  | 'yes'
  | 'no'
  /** 423, 429, or proof that no byte left. */
  | 'no-for-now'
  | 'unknown'
  | 'shows-value'
  | 'does-not-stay'
  | 'drop';

/** The whole protocol: whatever a set was answered, a read decides. */
const TABLE: Table<LeverageState, LeverageMove> = {
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

export const LEVERAGE = machineOf(TABLE, { initial: 'reading', unproved: ['sent'] });
