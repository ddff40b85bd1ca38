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
  { name: 'no step and no gap in an empty series', minutes: [], stepMs: undefined, gaps: [] },
  { name: 'no step and no gap in a single candle', minutes: [4], stepMs: undefined, gaps: [] },
  { name: 'no gap in a complete series', minutes: [1, 2, 3], stepMs: MINUTE, gaps: [] },
  {
    name: 'each gap with its number of missing candles',
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
