import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

const policy = { baseMs: 1_000, maxMs: 60_000 };
const almostOne = { next: () => 1 - 2 ** -53 };

describe('full-jitter back-off', () => {
  it.each([
    [0, 999],
    [1, 1_999],
    [5, 31_999],
    [6, 59_999],
    [1_000_000, 59_999],
  ])('waits less than the doubled ceiling after %i failures', (attempt, expected) => {
    expect(backoffMs(attempt, policy, almostOne)).toBe(expected);
  });

  it('a wait may be 0', () => {
    expect(backoffMs(9, policy, { next: () => 0 })).toBe(0);
  });
});
