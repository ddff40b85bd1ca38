import { machineOf, type Table } from '../machine.js';

/** Where a change of a position's margin stands. It has no id, so that it is sent once (F1 to F3). */
export type MarginState =
  /** What the position and the wallet hold is being read; nothing was sent. */
  | 'measuring'
  | 'sent'
  /** It may have taken effect, or may yet: the position's margin tells. */
  | 'verifying'
  | MarginEnd;

export type MarginEnd =
  /** The venue said so, or the margin is exactly what it was and the change. */
  | 'done'
  /** A proved no. */
  | 'refused'
  /** Nobody knows, and nothing more can tell: a person's to decide. It is never sent again. */
  | 'unproved'
  /** Never sent. */
  | 'dropped';

export type MarginMove =
  | 'attempt'
  | 'yes'
  | 'no'
  /** Proof that no byte left. */
  | 'not-sent'
  | 'unknown'
  /** Initial margin and the wallet both differ by exactly the change. */
  | 'shows-change'
  /** Something else moved the margin too, or it did not show in time. */
  | 'undecidable'
  | 'drop';

/** The whole protocol: no way leads back to `sent` (property P27). */
const TABLE: Table<MarginState, MarginMove> = {
  measuring: { attempt: 'sent', drop: 'dropped' },
  sent: { yes: 'done', no: 'refused', 'not-sent': 'dropped', unknown: 'verifying' },
  verifying: { 'shows-change': 'done', undecidable: 'unproved' },
  done: {},
  refused: {},
  unproved: {},
  dropped: {},
};

export const MARGIN = machineOf(TABLE, { initial: 'measuring', unproved: ['sent', 'verifying'] });
