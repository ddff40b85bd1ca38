import type { Random } from '../../core/ports.js';

export interface BackoffPolicy {
  /** Upper bound of the first wait. */
  readonly baseMs: number;
  /** Upper bound of every wait. */
  readonly maxMs: number;
}

/**
 * Full jitter: uniform in [0, min(max, base × 2^attempt)). It spreads callers that failed together
 * (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
 *
 * @param attempt consecutive failures before this wait, from 0
 */
export function backoffMs(attempt: number, policy: BackoffPolicy, random: Random): number {
  let ceiling = policy.baseMs;
  for (let doubled = 0; doubled < attempt && ceiling < policy.maxMs; doubled += 1) ceiling *= 2;
  return Math.floor(random.next() * Math.min(ceiling, policy.maxMs));
}
