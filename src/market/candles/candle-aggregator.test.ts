import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Candle } from '../../core/candle.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import { canAggregate, CandleAggregator } from './candle-aggregator.js';
import { CandleColumns } from './candle-columns.js';
import { parseCandleCsv } from './candle-csv.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2025, 4, 5);

/** Prices and volumes are small integers, so that sums are exact. */
const candleAt = (openTime: number): Candle => {
  const price = 100 + ((openTime / MINUTE) % 97);
  return { openTime, open: price, high: price + 5, low: price - 5, close: price + 1, volume: 3 };
};

const feed = (aggregator: CandleAggregator, candle: Candle): number => {
  const { openTime, open, high, low, close, volume } = candle;
  return aggregator.next(openTime, open, high, low, close, volume);
};

/** By definition: group by bucket, drop the first bucket and those that are not closed. */
function aggregatesOf(candles: readonly Candle[], base: Interval, target: Interval): Candle[] {
  const buckets = new Map<number, Candle[]>();
  for (const candle of candles) {
    const openTime = openTimeOf(target, candle.openTime);
    buckets.set(openTime, [...(buckets.get(openTime) ?? []), candle]);
  }
  const first = candles[0]?.openTime ?? 0;
  const end = closeTimeOf(base, candles.at(-1)?.openTime ?? 0);
  return [...buckets]
    .filter(([openTime]) => openTime >= first && closeTimeOf(target, openTime) <= end)
    .map(([openTime, members]) => ({
      openTime,
      open: members[0]?.open ?? 0,
      high: Math.max(...members.map(({ high }) => high)),
      low: Math.min(...members.map(({ low }) => low)),
      close: members.at(-1)?.close ?? 0,
      volume: members.reduce((sum, { volume }) => sum + volume, 0),
    }));
}

test('a bucket is emitted with its last minute, not before', () => {
  const aggregator = new CandleAggregator('1m', '5m');
  const counts = Array.from({ length: 10 }, (_, minute) =>
    feed(aggregator, candleAt(START + minute * MINUTE)),
  );
  expect(counts).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  expect(aggregator.closed.at(0)).toEqual({
    openTime: START,
    open: candleAt(START).open,
    high: candleAt(START + 4 * MINUTE).high,
    low: candleAt(START).low,
    close: candleAt(START + 4 * MINUTE).close,
    volume: 15,
  });
});

test('the first bucket of a series is omitted unless it is whole', () => {
  const late = new CandleAggregator('1m', '5m');
  for (let minute = 1; minute < 10; minute++) feed(late, candleAt(START + minute * MINUTE));
  expect(late.closed.length).toBe(1);
  expect(late.closed.at(0).openTime).toBe(START + 5 * MINUTE);
});

test('a bucket without its last minutes is emitted when a later candle proves that it closed', () => {
  const aggregator = new CandleAggregator('1m', '5m');
  const counts = [0, 1, 2, 9, 11].map((minute) =>
    feed(aggregator, candleAt(START + minute * MINUTE)),
  );
  // Minute 9 ends the first bucket and, as its last minute, its own bucket.
  expect(counts).toEqual([0, 0, 0, 2, 0]);
  expect(aggregator.closed.at(0)).toMatchObject({ openTime: START, volume: 9 });
  expect(aggregator.closed.at(1)).toMatchObject({ openTime: START + 5 * MINUTE, volume: 3 });
});

test('a bucket without candles does not exist', () => {
  const aggregator = new CandleAggregator('1m', '5m');
  for (const minute of [0, 4, 20, 24]) feed(aggregator, candleAt(START + minute * MINUTE));
  const times = [0, 1].map((index) => aggregator.closed.at(index).openTime);
  expect(aggregator.closed.length).toBe(2);
  expect(times).toEqual([START, START + 20 * MINUTE]);
});

test('a candle that does not ascend is an assertion error', () => {
  const aggregator = new CandleAggregator('1m', '5m');
  feed(aggregator, candleAt(START));
  expect(() => feed(aggregator, candleAt(START))).toThrow('ascend');
});

test.each<[Interval, Interval, boolean]>([
  ['1m', '5m', true],
  ['1m', '1M', true],
  ['1h', '4h', true],
  ['1h', '1d', true],
  ['4h', '6h', false],
  ['4h', '1w', true],
  ['3m', '5m', false],
  ['3m', '1h', true],
  ['1h', '1m', false],
  ['1d', '1w', true],
  ['1w', '1M', false],
  ['1M', '1M', true],
  ['1M', '1d', false],
])('%s candles aggregate to %s candles: %s', (base, target, possible) => {
  expect(canAggregate(base, target)).toBe(possible);
  if (!possible) expect(() => new CandleAggregator(base, target)).toThrow();
});

test('weeks open on Monday and months on the first, for all lengths of months', () => {
  const days = Array.from({ length: 120 }, (_, day) => candleAt(Date.UTC(2024, 0, 1) + day * DAY));
  const columns = CandleColumns.from(days);
  const months = CandleAggregator.aggregate(columns, '1d', '1M');
  const weeks = CandleAggregator.aggregate(columns, '1d', '1w');
  expect(Array.from({ length: months.length }, (_, i) => months.at(i).volume / 3)).toEqual([
    31, 29, 31,
  ]);
  expect(weeks.length).toBe(17);
  expect(new Date(weeks.at(3).openTime).getUTCDay()).toBe(1);
});

test('with any candles missing, aggregates are those of the existing ones, each after its close', () => {
  const pairs: [Interval, Interval][] = [
    ['1m', '3m'],
    ['1m', '5m'],
    ['1m', '1h'],
    ['5m', '30m'],
    ['1h', '4h'],
    ['1h', '1d'],
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...pairs),
      fc.nat(200),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 300 }),
      ([base, target], offset, present) => {
        const length = closeTimeOf(base, 0);
        const candles = present.flatMap((there, index) =>
          there ? [candleAt(START + (offset + index) * length)] : [],
        );
        const aggregator = new CandleAggregator(base, target);
        for (const candle of candles) {
          const count = feed(aggregator, candle);
          const { closed } = aggregator;
          for (let back = 1; back <= count; back++) {
            const { openTime } = closed.at(closed.length - back);
            const closeTime = closeTimeOf(base, candle.openTime);
            expect(closeTimeOf(target, openTime)).toBeLessThanOrEqual(closeTime);
          }
        }
        const got = Array.from({ length: aggregator.closed.length }, (_, i) =>
          aggregator.closed.at(i),
        );
        expect(got).toEqual(candles.length === 0 ? [] : aggregatesOf(candles, base, target));
      },
    ),
    { numRuns: 300 },
  );
});

const DATA = join(process.env['SLUICE_SHARED'] ?? '../shared', 'data');
const missing = existsSync(DATA) ? '' : ` (skipped: no data at ${DATA}, see SLUICE_SHARED)`;

describe.skipIf(missing !== '')(`real candles${missing}`, () => {
  const columnsOf = (name: string): CandleColumns =>
    parseCandleCsv(readFileSync(join(DATA, name)), name);

  test.each([
    ['1h', 'btcusdt-1h-2019-09_2026-05.csv.gz', 1_218],
    ['15m', 'btcusdt-15m-2023-12_2026-04.csv.gz', 4_875],
  ] as const)(
    'minutes aggregate to %s candles equal to %s of another source',
    (target, file, bars) => {
      const made = CandleAggregator.aggregate(
        columnsOf('btcusdt-1m-2025-05_06.csv.gz'),
        '1m',
        target,
      );
      expect(made.length).toBe(bars);
      const fileColumns = columnsOf(file);
      const mismatches = Array.from({ length: made.length }, (_, index) => made.at(index)).filter(
        (ours) => {
          const theirs = fileColumns.at(fileColumns.indexFrom(ours.openTime));
          const { openTime, open, high, low, close, volume } = theirs;
          const prices = [openTime, open, high, low, close].join();
          const same =
            [ours.openTime, ours.open, ours.high, ours.low, ours.close].join() === prices;
          return !same || Math.abs(ours.volume - volume) > 1e-6;
        },
      );
      expect(mismatches).toEqual([]);
    },
  );
});
