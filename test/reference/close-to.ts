import { expect } from 'vitest';
import type { Series } from './slow-indicators.js';

/**
 * Expects every row from `from` on to agree to 1e-9 of its size, or of `scale` if values pass through 0.
 * @returns number of compared rows
 */
export function expectClose(ours: Series, theirs: Series, { from = 0, scale = 1 } = {}): number {
  expect(ours.length).toBe(theirs.length);
  const differing = ours.flatMap((value, row) => {
    if (row < from) return [];
    const other = theirs[row];
    if (value === undefined || other === undefined)
      return value === other ? [] : [{ row, value, other }];
    const bound = 1e-9 * Math.max(scale, Math.abs(other));
    return Math.abs(value - other) <= bound ? [] : [{ row, value, other }];
  });
  expect(differing.slice(0, 3)).toEqual([]);
  const compared = ours.filter((value, row) => row >= from && value !== undefined).length;
  expect(compared).toBeGreaterThan(0);
  return compared;
}

/** The series only where `other` has a value: for definitions with another warm-up. */
export const where = (other: Series, series: Series): Series =>
  series.map((value, row) => (other[row] === undefined ? undefined : value));
