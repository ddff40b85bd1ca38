/**
 * Consecutive answers: one round of polls at the start; more in a run, because a gateway may fail briefly.
 */
const CONFIRMED_AFTER = { starting: 3, running: 12 } as const;
/** Consecutive changes: successful reads between them do not reset this count. */
const CHANGES_CONFIRMED_AFTER = 3;

/** HTTP status for a key that is unknown, revoked or not permitted. The interface documents neither. */
export const isKeyRefusal = (status: number | undefined): boolean =>
  status === 401 || status === 403;

/** An answer to a request that carried the key. */
export interface AuthenticatedResponse {
  readonly kind: 'read' | 'change';
  /** HTTP status of an answer that is not a success, if one was read. */
  readonly status: number | undefined;
}

/**
 * Detects that the venue refuses the key for good (hazard N7), because waiting cannot mend it. One answer is
 * no proof; any other answer in between restarts the count.
 */
export class KeyRefusalDetector {
  #consecutive = 0;
  #consecutiveChanges = 0;

  /** @returns whether the key counts as refused */
  observe({ kind, status }: AuthenticatedResponse, phase: keyof typeof CONFIRMED_AFTER): boolean {
    const refused = isKeyRefusal(status);
    this.#consecutive = refused ? this.#consecutive + 1 : 0;
    if (kind === 'change') this.#consecutiveChanges = refused ? this.#consecutiveChanges + 1 : 0;
    return (
      this.#consecutive >= CONFIRMED_AFTER[phase] ||
      this.#consecutiveChanges >= CHANGES_CONFIRMED_AFTER
    );
  }

  /** Restarts both counts. */
  reset(): void {
    this.#consecutive = 0;
    this.#consecutiveChanges = 0;
  }
}
