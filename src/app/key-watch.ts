/** Answers in a row: a round of polls at the start; in a run some time, as a gateway may stumble. */
const BELIEVED_AFTER = { starting: 3, running: 12 } as const;
/** Changes in a row: reads that are answered between them say nothing for them. */
const CHANGES_BELIEVED_AFTER = 3;

/** What HTTP says to a key that is unknown, revoked, or not allowed. The interface shows neither. */
export const isKeyRefusal = (status: number | undefined): boolean =>
  status === 401 || status === 403;

/** An answer to a request that carried the key. */
export interface KeyedAnswer {
  readonly kind: 'read' | 'change';
  /** HTTP status of one that is no plain yes, when one was read. */
  readonly status: number | undefined;
}

/**
 * Tells when the venue refuses the key for good (hazard N7): a request that nobody may make is no
 * reason to wait. One answer proves nothing; anything else in between begins the count again.
 */
export class KeyWatch {
  #inRow = 0;
  #changesInRow = 0;

  /** @returns whether the key must be taken for refused */
  see({ kind, status }: KeyedAnswer, phase: keyof typeof BELIEVED_AFTER): boolean {
    const refused = isKeyRefusal(status);
    this.#inRow = refused ? this.#inRow + 1 : 0;
    if (kind === 'change') this.#changesInRow = refused ? this.#changesInRow + 1 : 0;
    return this.#inRow >= BELIEVED_AFTER[phase] || this.#changesInRow >= CHANGES_BELIEVED_AFTER;
  }

  /** Begins both counts again. */
  forget(): void {
    this.#inRow = 0;
    this.#changesInRow = 0;
  }
}
