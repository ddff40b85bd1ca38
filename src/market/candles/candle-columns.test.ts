import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candle } from '../../core/candle.js';
import { CandleColumns, CandleView } from './candle-columns.js';

const candleAt = (minute: number): Candle => ({
  openTime: minute * 60_000,
  open: minute + 1,
  high: minute + 3,
  low: minute + 0.5,
  close: minute + 2,
  volume: minute * 10,
});
const series = (count: number): CandleColumns =>
  CandleColumns.from(Array.from({ length: count }, (_, minute) => candleAt(minute)));

test('appending past the capacity keeps every candle', () => {
  const columns = new CandleColumns(0);
  for (let minute = 0; minute < 5_000; minute++) columns.push(candleAt(minute));
  expect(columns.length).toBe(5_000);
  expect(columns.at(0)).toEqual(candleAt(0));
  expect(columns.at(1_024)).toEqual(candleAt(1_024));
  expect(columns.at(4_999)).toEqual(candleAt(4_999));
});

test('growth is amortized: a million appends replace the arrays a few times', () => {
  const columns = new CandleColumns();
  const seen = new Set<Float64Array>();
  for (let minute = 0; minute < 100_000; minute++) {
    columns.append(minute, 1, 1, 1, 1, 1);
    seen.add(columns.close);
  }
  expect(seen.size).toBeLessThan(10);
});

test('at returns a copy that later appends and views do not change', () => {
  const columns = series(3);
  const copy = columns.at(1);
  columns.close[1] = 99;
  expect(copy).toEqual(candleAt(1));
});

test('at refuses an index outside the series, also inside the spare capacity', () => {
  const columns = series(3);
  expect(() => columns.at(3)).toThrow('There is no candle 3 of 3');
  expect(() => columns.at(-1)).toThrow('There is no candle -1 of 3');
});

test('one view shows any candle by moving its index, also after the columns have grown', () => {
  const columns = series(2);
  const view = new CandleView(columns);
  expect({ ...columns.at(0) }).toMatchObject({ close: view.close, openTime: view.openTime });
  for (let minute = 2; minute < 3_000; minute++) columns.push(candleAt(minute));
  view.index = 2_999;
  const { openTime, open, high, low, close, volume } = view;
  expect({ openTime, open, high, low, close, volume }).toEqual(candleAt(2_999));
});

test.each([
  { name: 'before the series', timeMs: -1, index: 0 },
  { name: 'on a candle', timeMs: 120_000, index: 2 },
  { name: 'between candles', timeMs: 120_001, index: 3 },
  { name: 'after the series', timeMs: 1e15, index: 5 },
])('indexFrom finds the first candle from a time $name', ({ timeMs, index }) => {
  expect(series(5).indexFrom(timeMs)).toBe(index);
});

test('within includes its start, excludes its end and shares memory', () => {
  const columns = series(10);
  const part = columns.within(120_000, 300_000);
  expect(part.length).toBe(3);
  expect(part.at(0)).toEqual(candleAt(2));
  columns.close[2] = 42;
  expect(part.at(0).close).toBe(42);
  expect(columns.within(300_000, 120_000).length).toBe(0);
});

test('appending to a part does not change the whole', () => {
  const columns = series(10);
  const part = columns.within(0, 120_000);
  part.push(candleAt(77));
  expect(part.at(2)).toEqual(candleAt(77));
  expect(columns.at(2)).toEqual(candleAt(2));
});

test('columns of different lengths are refused', () => {
  const { openTime, open, high, low, close } = series(1_024);
  const volume = new Float64Array(3);
  expect(() => CandleColumns.wrap({ openTime, open, high, low, close, volume })).toThrow(
    'one length',
  );
});

test('a time is found among candles with gaps', () => {
  const steps = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5_000 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: -5, max: 300_000 }), fc.nat(), (gaps, far, near) => {
      const columns = new CandleColumns();
      let openTime = 0;
      for (const gap of gaps) columns.append((openTime += gap), 1, 1, 1, 1, 1);
      const times = [...columns.openTime.subarray(0, columns.length)];
      const known = times[near % Math.max(1, times.length)] ?? 0;
      for (const time of [far, known - 1, known, known + 1, Infinity]) {
        const from = times.findIndex((each) => each >= time);
        expect(columns.indexFrom(time)).toBe(from < 0 ? times.length : from);
        expect(columns.indexAt(time)).toBe(
          Math.max(
            0,
            times.findLastIndex((each) => each <= time),
          ),
        );
      }
    }),
    { numRuns: 1_000 },
  );
});
