import type { Cancel, Clock, Scheduler } from '../core/ports.js';

const CHECK_MS = 50;

export interface WaitsParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Nothing changes any more. */
  readonly over: () => boolean;
}

/** Waits for something to hold, by looking every few ms. */
export class Waits {
  readonly #parts: WaitsParts;
  readonly #open = new Set<Cancel>();

  constructor(parts: WaitsParts) {
    this.#parts = parts;
  }

  /** Resolves when it holds, the time is up or all is over. @returns whether it holds */
  async until(holds: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { clock, over } = this.#parts;
    const until = clock.monotonicMs() + withinMs;
    while (!holds() && clock.monotonicMs() < until && !over()) await this.#pause();
    return holds();
  }

  /** Whoever still waits is left waiting: no timer stays. */
  close(): void {
    for (const cancel of this.#open) cancel();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.scheduler.after(CHECK_MS, () => {
        this.#open.delete(cancel);
        resolve();
      });
      this.#open.add(cancel);
    });
  }
}
