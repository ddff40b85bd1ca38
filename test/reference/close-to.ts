import { expect } from 'vitest';
import type { Series } from './slow-indicators.js';

/**
 * Every row from `from` on is the same to 1e-9 of its size, or of `scale` where values pass through 0.
 * @returns how many rows were compared
 */
export function expectClose(ours: Series, theirs: Series, { from = 0, scale = 1 } = {}): number {
  expect(ours.length).toBe(theirs.length);
  const apart = ours.flatMap((value, row) => {
    if (row < from) return [];
    const other = theirs[row];
    if (value === undefined || other === undefined)
      return value === other ? [] : [{ row, value, other }];
    const bound = 1e-9 * Math.max(scale, Math.abs(other));
    return Math.abs(value - other) <= bound ? [] : [{ row, value, other }];
  });
  expect(apart.slice(0, 3)).toEqual([]);
  const compared = ours.filter((value, row) => row >= from && value !== undefined).length;
  expect(compared).toBeGreaterThan(0);
  return compared;
}

/** Only where the other has a value: for definitions that differ in when they are warm. */
export const where = (other: Series, series: Series): Series =>
  series.map((value, row) => (other[row] === undefined ? undefined : value));
