import type { Scheduler } from '../../core/ports.js';

/** Node turns a longer delay into 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Timers on `performance.now()`. A timer never runs before its time: Node's may, by a fraction of a
 * millisecond, and a deadline that looks one tick away would be checked and missed.
 */
export const nodeScheduler: Scheduler = {
  after(delayMs, run) {
    const due = performance.now() + Math.max(0, delayMs);
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remaining = Math.ceil(due - performance.now());
      timer = setTimeout(fire, Math.min(Math.max(0, remaining), LONGEST_TIMER_MS));
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
