import { createStateMachine, type TransitionTable } from '../state-machine.js';

/**
 * State of a transfer between the wallets. The request has no id, so that it is sent once (hazards
 * F6, F7).
 */
export type TransferState =
  /** Transfer rows and both wallets are being read; nothing was sent. */
  | 'measuring'
  | 'sent'
  /** It has or may have taken effect: transfer rows that were not there before decide. */
  | 'verifying'
  | TransferEnd;

export type TransferEnd =
  /** One new row of its direction and amount. */
  | 'done'
  /** Refused. */
  | 'refused'
  /** No such row in time, or more than one: the operator must decide. It is never sent again. */
  | 'unproved'
  /** Never sent. */
  | 'dropped';

export type TransferEvent =
  | 'attempt'
  /** Accepted; its row is still to be read, since the reply for USDT names none. */
  | 'yes'
  | 'no'
  /** Proof that no byte left. */
  | 'not-sent'
  | 'unknown'
  | 'shows-row'
  | 'undecidable'
  | 'drop';

/** The whole protocol: no transition leads back to `sent` (property P27). */
const TRANSITIONS: TransitionTable<TransferState, TransferEvent> = {
  measuring: { attempt: 'sent', drop: 'dropped' },
  sent: { yes: 'verifying', no: 'refused', 'not-sent': 'dropped', unknown: 'verifying' },
  verifying: { 'shows-row': 'done', undecidable: 'unproved' },
  done: {},
  refused: {},
  unproved: {},
  dropped: {},
};

export const TRANSFER_MACHINE = createStateMachine(TRANSITIONS, {
  initial: 'measuring',
  unproved: ['sent', 'verifying'],
});
