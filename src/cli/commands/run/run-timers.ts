import type { Cancel, Scheduler } from '../../../core/ports.js';

/** The timers of a run; all of them are canceled at its end. */
export class RunTimers {
  readonly #scheduler: Scheduler;
  readonly #pending = new Set<Cancel>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  repeat(intervalMs: number, run: () => void): void {
    this.schedule(intervalMs, () => {
      run();
      this.repeat(intervalMs, run);
    });
  }

  delay(ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      this.schedule(ms, () => {
        resolve(undefined);
      });
    });
  }

  schedule(delayMs: number, run: () => void): void {
    const cancel = this.#scheduler.after(delayMs, () => {
      this.#pending.delete(cancel);
      run();
    });
    this.#pending.add(cancel);
  }

  cancelAll(): void {
    for (const cancel of this.#pending) cancel();
  }
}
