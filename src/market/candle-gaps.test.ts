import { expect, test } from 'vitest';
import { CandleColumns } from './candle-columns.js';
import { candleGaps } from './candle-gaps.js';

const MINUTE = 60_000;
const seriesOf = (minutes: readonly number[]): CandleColumns =>
  CandleColumns.from(
    minutes.map((minute) => ({
      openTime: minute * MINUTE,
      open: 1,
      high: 1,
      low: 1,
      close: 1,
      volume: 1,
    })),
  );

test.each([
  { name: 'nothing of an empty series', minutes: [], stepMs: undefined, gaps: [] },
  { name: 'nothing of one candle', minutes: [4], stepMs: undefined, gaps: [] },
  { name: 'no hole in a whole series', minutes: [1, 2, 3], stepMs: MINUTE, gaps: [] },
  {
    name: 'each hole with what is missing',
    minutes: [0, 5, 10, 25, 30, 40],
    stepMs: 5 * MINUTE,
    gaps: [
      { afterMs: 10 * MINUTE, missing: 2 },
      { afterMs: 30 * MINUTE, missing: 1 },
    ],
  },
])('candleGaps finds $name', ({ minutes, stepMs, gaps }) => {
  expect(candleGaps(seriesOf(minutes))).toEqual({ stepMs, gaps });
});
