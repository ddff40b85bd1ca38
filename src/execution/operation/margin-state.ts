import { createStateMachine, type TransitionTable } from '../state-machine.js';

/**
 * State of a change of a position's margin. The request has no id, so that it is sent once (hazards
 * F1 to F3).
 */
export type MarginState =
  /** Position and wallet are being read; nothing was sent. */
  | 'measuring'
  | 'sent'
  /** It may have taken effect, or may still: the position's margin decides. */
  | 'verifying'
  | MarginEnd;

export type MarginEnd =
  /** Acknowledged, or the margin differs by exactly the change. */
  | 'done'
  /** Refused. */
  | 'refused'
  /** No read can decide: the operator must. It is never sent again. */
  | 'unproved'
  /** Never sent. */
  | 'dropped';

export type MarginEvent =
  | 'attempt'
  | 'yes'
  | 'no'
  /** Proof that no byte left. */
  | 'not-sent'
  | 'unknown'
  /** Initial margin and the wallet both differ by exactly the change. */
  | 'shows-change'
  /** Another cause moved the margin too, or the change did not show in time. */
  | 'undecidable'
  | 'drop';

/** The whole protocol: no transition leads back to `sent` (property P27). */
const TRANSITIONS: TransitionTable<MarginState, MarginEvent> = {
  measuring: { attempt: 'sent', drop: 'dropped' },
  sent: { yes: 'done', no: 'refused', 'not-sent': 'dropped', unknown: 'verifying' },
  verifying: { 'shows-change': 'done', undecidable: 'unproved' },
  done: {},
  refused: {},
  unproved: {},
  dropped: {},
};

export const MARGIN_MACHINE = createStateMachine(TRANSITIONS, {
  initial: 'measuring',
  unproved: ['sent', 'verifying'],
});
