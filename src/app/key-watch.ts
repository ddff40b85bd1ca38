import type { AccountMessage } from '../venue/venue.js';

/** Answers in a row: a round of polls at the start; in a run some time, as a gateway may stumble. */
const BELIEVED_AFTER = { starting: 3, running: 12 } as const;

/** What HTTP says to a key that is unknown, revoked, or not allowed. The interface shows neither. */
export const isKeyRefusal = (status: number | undefined): boolean =>
  status === 401 || status === 403;

/**
 * Tells when the venue refuses the key for good (hazard N7): a request that nobody may make is no
 * reason to wait. One answer proves nothing; anything else in between begins the count again.
 */
export class KeyWatch {
  #inRow = 0;

  /** @returns whether the key must be taken for refused */
  see(message: AccountMessage, phase: keyof typeof BELIEVED_AFTER): boolean {
    const refused = message.kind === 'poll-failed' && isKeyRefusal(message.status);
    this.#inRow = refused ? this.#inRow + 1 : 0;
    return this.#inRow >= BELIEVED_AFTER[phase];
  }
}
