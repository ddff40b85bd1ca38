import type { Clock } from '../../core/ports.js';

/** This machine's two clocks. */
export const nodeClock: Clock = {
  monotonicMs: () => performance.now(),
  utcMs: () => Date.now(),
};
