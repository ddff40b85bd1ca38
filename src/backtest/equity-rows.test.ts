import { expect, it } from 'vitest';
import { CloseTimes } from './close-times.js';
import { EquityRows } from './equity-rows.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const opens = [0, 1, 2, 5].map((minute) => minute * MINUTE_MS);
const rowsOf = (capacity: number): EquityRows =>
  new EquityRows(capacity, Float64Array.from(opens), '1m');
const addClosed = (rows: EquityRows, closeTime: number, equity: number): void => {
  rows.add(closeTime - MINUTE_MS, equity);
};
const listOf = ({ times, equity }: EquityRows) =>
  Array.from({ length: times.length }, (_, row) => [times.at(row), equity[row]]);

it('rows at the closes of one symbol have their times, also over a gap of its candles', () => {
  const rows = rowsOf(4);
  const expected = [1, 2, 3, 6].map((minute) => [minute * MINUTE_MS, 100 + minute]);
  for (const [closed, equity] of expected) addClosed(rows, closed as number, equity as number);
  expect(listOf(rows)).toEqual(expected);
  expect([rows.times.length, rows.times.at(4)]).toEqual([4, undefined]);
  expect(rows.times.subarray(1, 3).at(1)).toBe(3 * MINUTE_MS);
});

it('a row of another symbol between them keeps every time', () => {
  const rows = rowsOf(8);
  const expected = [1, 2, 3, 4, 5, 6, 7].map((minute) => [minute * MINUTE_MS, 100 - minute]);
  for (const [closed, equity] of expected) addClosed(rows, closed as number, equity as number);
  expect(listOf(rows)).toEqual(expected);
});

it('a run that begins before the candles of its longest symbol keeps every time', () => {
  const rows = rowsOf(2);
  addClosed(rows, 0, 1);
  addClosed(rows, MINUTE_MS, 2);
  expect(listOf(rows)).toEqual([
    [0, 1],
    [MINUTE_MS, 2],
  ]);
});

it('months close at the start of the next one', () => {
  const starts = [Date.UTC(2024, 0, 1), Date.UTC(2024, 1, 1)];
  const times = new CloseTimes(Float64Array.from(starts), '1M');
  expect([times.at(0), times.at(1)]).toEqual([Date.UTC(2024, 1, 1), Date.UTC(2024, 2, 1)]);
  expect(new CloseTimes(Float64Array.from(starts), '1h').at(0)).toBe((starts[0] ?? 0) + HOUR_MS);
});
