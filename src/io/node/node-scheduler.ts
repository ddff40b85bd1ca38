import type { Scheduler } from '../../core/ports.js';

/** Node replaces a longer delay by 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Timers on `performance.now()`. A timer never runs early. Node's timers may, by a fraction of a
 * millisecond, and a handler would then find its deadline not reached.
 */
export const nodeScheduler: Scheduler = {
  after(delayMs, run) {
    const due = performance.now() + Math.max(0, delayMs);
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remaining = Math.ceil(due - performance.now());
      timer = setTimeout(fire, Math.min(Math.max(0, remaining), MAX_TIMER_MS));
    };
    const fire = (): void => {
      if (performance.now() < due) arm();
      else run();
    };
    arm();
    return () => {
      clearTimeout(timer);
    };
  },
};
