import type { Clock } from '../../core/ports.js';

/** The monotonic and the wall clock of this machine. */
export const nodeClock: Clock = {
  monotonicMs: () => performance.now(),
  utcMs: () => Date.now(),
};
