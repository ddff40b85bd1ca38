import { machineOf, type Table } from '../machine.js';

/** Where a transfer between the wallets stands. It has no id, so that it is sent once (F6, F7). */
export type TransferState =
  /** The rows and both wallets are being read; nothing was sent. */
  | 'measuring'
  | 'sent'
  /** It has or may have taken effect: the rows that were not there before tell. */
  | 'verifying'
  | TransferEnd;

export type TransferEnd =
  /** One row of its direction and amount that was not there before. */
  | 'done'
  /** A proved no. */
  | 'refused'
  /** No such row in time, or more than one: a person's to decide. It is never sent again. */
  | 'unproved'
  /** Never sent. */
  | 'dropped';

export type TransferMove =
  | 'attempt'
  /** Accepted; its row is still to be read, for the USDT answer names none. */
  | 'yes'
  | 'no'
  /** Proof that no byte left. */
  | 'not-sent'
  | 'unknown'
  | 'shows-row'
  | 'undecidable'
  | 'drop';

/** The whole protocol: no way leads back to `sent` (property P27). */
const TABLE: Table<TransferState, TransferMove> = {
  measuring: { attempt: 'sent', drop: 'dropped' },
  sent: { yes: 'verifying', no: 'refused', 'not-sent': 'dropped', unknown: 'verifying' },
  verifying: { 'shows-row': 'done', undecidable: 'unproved' },
  done: {},
  refused: {},
  unproved: {},
  dropped: {},
};

export const TRANSFER = machineOf(TABLE, {
  initial: 'measuring',
  unproved: ['sent', 'verifying'],
});
