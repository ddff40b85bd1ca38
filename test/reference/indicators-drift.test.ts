import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../src/core/candle.js';
import { indicators } from '../../src/market/indicators/indicators.js';
import { expectClose } from './close-to.js';
import * as slow from './slow-indicators.js';
import { syntheticCandles } from './synthetic-candles.js';

const MILLION = 1_000_000;
const PERIOD = 50;

/** Rows of a long run that are compared: all of the last window, and one in 9,973 before. */
const isSampled = (row: number): boolean =>
  row >= PERIOD && (row % 9_973 === 0 || row >= MILLION - PERIOD);

const last = (values: slow.Series): number => values.at(-1) ?? NaN;

describe('a million candles at a price of 100,000', () => {
  const rows = syntheticCandles(MILLION);
  const closes = rows.map(({ close }) => close);
  const column = Float64Array.from(closes);
  const windows = closes.flatMap((_, row) => (isSampled(row) ? [row] : []));
  const windowAt = (row: number): readonly number[] => closes.slice(row - PERIOD + 1, row + 1);
  const candlesAt = (row: number): readonly Candle[] => rows.slice(row - PERIOD, row + 1);

  it.each<[string, () => Float64Array, (window: readonly number[]) => number]>([
    ['sma', () => indicators.sma(PERIOD).over(column), (w) => last(slow.sma(w, PERIOD))],
    ['wma', () => indicators.wma(PERIOD).over(column), (w) => last(slow.wma(w, PERIOD))],
    [
      'deviation',
      () => indicators.deviation(PERIOD).over(column),
      (w) => last(slow.deviation(w, PERIOD)),
    ],
    ['highest', () => indicators.highest(PERIOD).over(column), (w) => Math.max(...w)],
    ['lowest', () => indicators.lowest(PERIOD).over(column), (w) => Math.min(...w)],
  ])('%s agrees with its definition on the last window', (_, over, definition) => {
    const values = over();
    expectClose(
      windows.map((row) => values[row]),
      windows.map((row) => definition(windowAt(row))),
      { scale: 0 },
    );
  });

  it('bollinger agrees with its definition on the last window', () => {
    const { upper, lower } = indicators.bollinger({ period: PERIOD }).over(column);
    const bands = windows.map((row) => {
      const window = windowAt(row);
      return [last(slow.sma(window, PERIOD)), last(slow.deviation(window, PERIOD))] as const;
    });
    expectClose(
      windows.map((row) => upper[row]),
      bands.map(([mean, deviation]) => mean + 2 * deviation),
      { scale: 0 },
    );
    expectClose(
      windows.map((row) => lower[row]),
      bands.map(([mean, deviation]) => mean - 2 * deviation),
      { scale: 0 },
    );
  });

  it('mfi agrees with its definition on the last window', () => {
    const mfi = indicators.mfi(PERIOD);
    const values = rows.map((row) => mfi.next(row));
    expectClose(
      windows.map((row) => values[row]),
      windows.map((row) => last(slow.mfi(candlesAt(row), PERIOD))),
    );
  });

  it('ema, rsi, atr and adx, which have no window, agree with a run over the last 5,000 candles', () => {
    // The influence of older candles on a smoothing has faded below the precision by then.
    const recent = rows.slice(-5_000);
    const recentCloses = recent.map(({ close }) => close);
    const ema = indicators.ema(PERIOD).over(column);
    const rsi = indicators.rsi(14).over(column);
    const atr = indicators.atr(14);
    const adx = indicators.adx(14);
    for (const row of rows) {
      atr.update(row);
      adx.update(row);
    }
    expectClose([ema.at(-1)], [last(slow.ema(recentCloses, PERIOD))], { scale: 0 });
    expectClose([rsi.at(-1)], [last(slow.rsi(recentCloses, 14))], { scale: 0 });
    expectClose([atr.value], [last(slow.atr(recent, 14))], { scale: 0 });
    expectClose([adx.adx], [last(slow.directional(recent, 14).adx)], { scale: 0 });
  });
}, 120_000);

describe('any series, also with jumps of ten orders of magnitude', () => {
  const values = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 20_000_000 }).map((cents) => cents / 100),
      fc.integer({ min: 1, max: 1_000 }).map((units) => units / 1e8),
      fc.integer({ min: 1, max: 1_000 }).map((units) => units * 1e7),
    ),
    { minLength: 1, maxLength: 120 },
  );
  const period = fc.integer({ min: 2, max: 25 });

  it('sma, wma, highest and lowest agree with their definitions to 1e-9 of each value', () => {
    fc.assert(
      fc.property(values, period, (series, n) => {
        fc.pre(series.length >= n);
        const column = Float64Array.from(series);
        const known = (out: Float64Array): slow.Series =>
          Array.from(out, (value) => (Number.isNaN(value) ? undefined : value));
        const exact = { scale: 0 };
        expectClose(known(indicators.sma(n).over(column)), slow.sma(series, n), exact);
        expectClose(known(indicators.wma(n).over(column)), slow.wma(series, n), exact);
        expectClose(known(indicators.highest(n).over(column)), slow.highest(series, n), exact);
        expectClose(known(indicators.lowest(n).over(column)), slow.lowest(series, n), exact);
      }),
    );
  });

  it('deviation agrees with its definition to 1e-9, or to the last digits of the largest price', () => {
    fc.assert(
      fc.property(values, period, (series, n) => {
        fc.pre(series.length >= n);
        const ours = indicators.deviation(n).over(Float64Array.from(series));
        slow.deviation(series, n).forEach((theirs, row) => {
          if (theirs === undefined) return expect(ours[row]).toBeNaN();
          const largest = Math.max(...series.slice(row - n + 1, row + 1));
          const bound = Math.max(1e-9 * theirs, 1e-14 * largest);
          return expect(Math.abs((ours[row] ?? NaN) - theirs)).toBeLessThanOrEqual(bound);
        });
      }),
    );
  });
});
