/** Real ms that one observation may add: a supervisor that slept itself has seen no silence. */
const MAX_STEP_MS = 3_000;

/** Measures how long a daemon has shown no sign of life, by the clock of this process alone. */
export class SilenceDetector {
  #sign: string | undefined;
  #seenAt: number | undefined;
  #silentMs = 0;

  /**
   * @param sign changes with each sign of life; undefined: there is nothing to watch
   * @param monotonic ms
   * @returns observed ms of silence
   */
  observe(sign: string | undefined, monotonic: number): number {
    const step = Math.min(MAX_STEP_MS, monotonic - (this.#seenAt ?? monotonic));
    this.#seenAt = monotonic;
    this.#silentMs = sign === undefined || sign !== this.#sign ? 0 : this.#silentMs + step;
    this.#sign = sign;
    return this.#silentMs;
  }

  /** The daemon has shown that it lives, in another way. */
  reset(): void {
    this.#silentMs = 0;
  }
}
