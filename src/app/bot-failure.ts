/** What ended a run from within: the first word is kept. */
export class BotFailure {
  #error: unknown;
  #tell: ((error: Error) => void) | undefined;

  note(error: unknown): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#tell?.(toError(error));
  }

  get error(): Error | undefined {
    return this.#error === undefined ? undefined : toError(this.#error);
  }

  /** Rejects once, never resolves; of several only the last that was asked for. */
  get rejection(): Promise<never> {
    return new Promise((_, reject) => {
      if (this.#error !== undefined) reject(toError(this.#error));
      this.#tell = reject;
    });
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
