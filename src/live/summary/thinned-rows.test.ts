import { expect, it } from 'vitest';
import { ThinnedRows } from './thinned-rows.js';

const rowsOf = (count: number, maxRows: number): readonly number[] => {
  const thinned = new ThinnedRows(2, maxRows);
  for (let row = 0; row < count; row += 1) thinned.add([row, row + 0.5]);
  expect(thinned.newest(0)).toBe(count === 0 ? undefined : count - 1);
  const [rows, halves] = [[...thinned.column(0)], [...thinned.column(1)]];
  expect(halves).toEqual(rows.map((row) => row + 0.5));
  return rows;
};

it('every row stays until the series is full', () => {
  expect(rowsOf(0, 10)).toEqual([]);
  expect(rowsOf(10, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('a full series keeps every second row, and the newest', () => {
  expect(rowsOf(11, 10)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(rowsOf(12, 10)).toEqual([0, 2, 4, 6, 8, 10, 11]);
});

it.each([1_000, 3_000, 100_000])('of %i rows evenly spaced ones stay, in their order', (count) => {
  const rows = rowsOf(count, 100);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.length).toBeLessThanOrEqual(101);
  expect([rows[0], rows.at(-1)]).toEqual([0, count - 1]);
  const gaps = new Set(rows.slice(1, -1).map((row, index) => row - (rows[index] ?? 0)));
  expect(gaps.size).toBe(1);
});
