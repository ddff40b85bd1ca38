import type { Cancel, Clock, Scheduler } from '../../core/ports.js';
import type { EngineLoop } from './engine-loop.js';

const POLL_INTERVAL_MS = 50;

export interface ConditionPollerParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly loop: Pick<EngineLoop, 'isStopped'>;
}

/** Waits for a condition by checking it every 50 ms of real time. */
export class ConditionPoller {
  readonly #parts: ConditionPollerParts;
  readonly #timers = new Set<Cancel>();

  constructor(parts: ConditionPollerParts) {
    this.#parts = parts;
  }

  /** Resolves when the condition holds, the time is up or the loop has stopped. @returns the condition */
  async pollUntil(condition: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { clock, loop } = this.#parts;
    const until = clock.monotonicMs() + withinMs;
    while (!condition() && clock.monotonicMs() < until && !loop.isStopped) await this.#pause();
    return condition();
  }

  /** Cancels all timers; pending waits never resolve. */
  close(): void {
    for (const cancel of this.#timers) cancel();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.scheduler.after(POLL_INTERVAL_MS, () => {
        this.#timers.delete(cancel);
        resolve();
      });
      this.#timers.add(cancel);
    });
  }
}
