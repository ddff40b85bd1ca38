import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Indicator } from './indicator.js';
import { indicators } from './indicators.js';

const run = <Input, Output>(
  indicator: Indicator<Input, Output>,
  inputs: readonly Input[],
): (Output | undefined)[] => inputs.map((input) => indicator.next(input));

const prices = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 120 });
const period = fc.integer({ min: 1, max: 20 });
const candles = fc
  .array(
    fc
      .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 999 }), fc.nat(1_000))
      .map(([a, b, share]) => {
        const low = Math.min(a, b);
        const high = Math.max(a, b);
        return { high, low, close: low + ((high - low) * share) / 1_000 };
      }),
    { minLength: 1, maxLength: 80 },
  )
  .map((rows) => rows);

describe('definitions', () => {
  test('sma, highest and lowest are those of the last window, undefined before it is full', () => {
    fc.assert(
      fc.property(prices, period, (values, n) => {
        const sma = run(indicators.sma(n), values);
        const highest = run(indicators.highest(n), values);
        const lowest = run(indicators.lowest(n), values);
        values.forEach((_, index) => {
          const window = values.slice(Math.max(0, index - n + 1), index + 1);
          const warm = window.length === n;
          const sum = window.reduce((total, value) => total + value, 0);
          expect(sma[index]).toBe(warm ? sum / n : undefined);
          expect(highest[index]).toBe(warm ? Math.max(...window) : undefined);
          expect(lowest[index]).toBe(warm ? Math.min(...window) : undefined);
        });
      }),
    );
  });

  test('sma has no rounding error of a large number that has left its window', () => {
    const sma = indicators.sma(7);
    for (const value of [1e15, 3.3e99, -7.1e98, 0.123]) sma.next(value);
    const window = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
    for (const value of window) sma.next(value);
    expect(sma.value).toBeCloseTo(0.4, 15);
  });

  test('ema is seeded with the mean of its first window and then moves by its weight', () => {
    fc.assert(
      fc.property(prices, period, (values, n) => {
        const ema = run(indicators.ema(n), values);
        let expected: number | undefined;
        values.forEach((value, index) => {
          if (expected !== undefined) expected = (2 * value + (n - 1) * expected) / (n + 1);
          if (index === n - 1) expected = values.slice(0, n).reduce((a, b) => a + b) / n;
          if (expected === undefined) expect(ema[index]).toBeUndefined();
          else expect(ema[index]).toBeCloseTo(expected, 8);
        });
      }),
    );
  });

  test('donchian includes the newest candle; its value before next excludes it', () => {
    fc.assert(
      fc.property(candles, period, (rows, n) => {
        const donchian = indicators.donchian(n);
        rows.forEach((row, index) => {
          const before = donchian.value;
          const snapshot = before && { ...before };
          const channel = donchian.next(row);
          expect(before).toEqual(snapshot);
          const window = rows.slice(Math.max(0, index - n + 1), index + 1);
          if (window.length < n) return expect(channel).toBeUndefined();
          const upper = Math.max(...window.map(({ high }) => high));
          const lower = Math.min(...window.map(({ low }) => low));
          return expect(channel).toEqual({ upper, middle: (upper + lower) / 2, lower });
        });
      }),
    );
  });

  test('atr is Wilder’s average of true ranges, from the second candle on', () => {
    fc.assert(
      fc.property(candles, period, (rows, n) => {
        const atr = run(indicators.atr(n), rows);
        const ranges: number[] = [];
        let expected = 0;
        rows.forEach(({ high, low }, index) => {
          const previous = rows[index - 1]?.close;
          if (previous !== undefined) {
            ranges.push(Math.max(high - low, Math.abs(high - previous), Math.abs(low - previous)));
          }
          if (ranges.length === n) expected = ranges.reduce((a, b) => a + b) / n;
          else expected = (expected * (n - 1) + (ranges.at(-1) ?? 0)) / n;
          if (ranges.length < n) expect(atr[index]).toBeUndefined();
          else expect(atr[index]).toBeCloseTo(expected, 8);
        });
      }),
    );
  });

  test.each([
    { name: '100 for rising prices', values: [1, 2, 3, 4, 5], expected: 100 },
    { name: '0 for falling prices', values: [5, 4, 3, 2, 1], expected: 0 },
    { name: '50 without any change', values: [5, 5, 5, 5, 5], expected: 50 },
    { name: '50 for equal gains and losses', values: [5, 6, 5, 6, 5], expected: 50 },
    // Gains 2, 0, 1, 0 and losses 0, 1, 0, 0: 100 × 3 / 4.
    { name: 'seeded with a simple mean', values: [10, 12, 11, 12, 12], expected: 75 },
  ])('rsi is $name', ({ values, expected }) => {
    const rsi = run(indicators.rsi(4), values);
    expect(rsi.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(rsi[4]).toBe(expected);
  });

  test('rsi is not rounded', () => {
    const rsi = run(indicators.rsi(3), [10, 11, 10.5, 11.2, 10.9, 11.7]).at(-1) ?? 0;
    expect(Math.abs(rsi * 100 - Math.round(rsi * 100))).toBeGreaterThan(1e-6);
  });

  test('macd is the difference of its two emas, warm with its signal, aligned with its input', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 40, maxLength: 90 }),
        (values) => {
          const rows = run(indicators.macd({ fast: 5, slow: 9, signal: 4 }), values);
          const fast = run(indicators.ema(5), values);
          const slow = run(indicators.ema(9), values);
          const signal = indicators.ema(4);
          rows.forEach((row, index) => {
            const [quick, slack] = [fast[index], slow[index]];
            const macd = quick !== undefined && slack !== undefined ? quick - slack : undefined;
            const smooth = macd === undefined ? undefined : signal.next(macd);
            if (macd === undefined || smooth === undefined) return expect(row).toBeUndefined();
            expect(row?.macd).toBeCloseTo(macd, 7);
            expect(row?.signal).toBeCloseTo(smooth, 7);
            return expect(row?.histogram).toBeCloseTo(macd - smooth, 7);
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('bollinger is the mean and the population deviation of the window', () => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 2, max: 20 }), (values, n) => {
        const rows = run(indicators.bollinger({ period: n, deviations: 2 }), values);
        values.forEach((_, index) => {
          const window = values.slice(Math.max(0, index - n + 1), index + 1);
          if (window.length < n) return expect(rows[index]).toBeUndefined();
          const mean = window.reduce((a, b) => a + b) / n;
          const variance = window.reduce((a, b) => a + (b - mean) ** 2, 0) / n;
          expect(rows[index]?.middle).toBeCloseTo(mean, 7);
          expect(rows[index]?.upper).toBeCloseTo(mean + 2 * Math.sqrt(variance), 5);
          return expect(rows[index]?.lower).toBeCloseTo(mean - 2 * Math.sqrt(variance), 5);
        });
      }),
      { numRuns: 50 },
    );
  });

  test('bollinger has width 0 in a flat market, without NaN', () => {
    const bands = run(indicators.bollinger({ period: 3 }), [7, 7, 7, 7]);
    expect(bands.at(-1)).toEqual({ upper: 7, middle: 7, lower: 7 });
  });
});

describe('inputs that are not finite', () => {
  const numbers = { sma: 3, ema: 3, highest: 3, lowest: 3, rsi: 3 } as const;
  test.each(Object.keys(numbers) as (keyof typeof numbers)[])(
    '%s refuses them without a change of its state',
    (name) => {
      const disturbed = indicators[name](3);
      const calm = indicators[name](3);
      for (const value of [4, 7, 5, 6, 9, 8]) {
        expect(() => disturbed.next(NaN)).toThrow(RangeError);
        expect(() => disturbed.next(Infinity)).toThrow(`${name} takes finite numbers`);
        expect(disturbed.next(value)).toBe(calm.next(value));
        expect(disturbed.value).toBe(calm.value);
      }
    },
  );

  test('atr and donchian refuse them without a change of their state', () => {
    const bad = { high: NaN, low: 1, close: 1 };
    expect(() => indicators.atr(3).next(bad)).toThrow('atr takes finite numbers');
    expect(() => indicators.donchian(3).next(bad)).toThrow('donchian takes finite numbers');
  });

  test('a candle with an invalid low changes neither window of donchian', () => {
    const donchian = indicators.donchian(2);
    donchian.next({ high: 5, low: 4 });
    expect(() => donchian.next({ high: 9, low: NaN })).toThrow(RangeError);
    expect(donchian.next({ high: 6, low: 3 })).toEqual({ upper: 6, middle: 4.5, lower: 3 });
  });

  test('macd and bollinger refuse them without a change of their state', () => {
    expect(() => indicators.macd().next(Infinity)).toThrow('macd takes finite numbers');
    expect(() => indicators.bollinger().next(NaN)).toThrow('bollinger takes finite numbers');
  });

  test.each([0, -1, 1.5, NaN, Infinity])('a period of %s is refused', (bad) => {
    for (const name of ['sma', 'ema', 'highest', 'lowest', 'donchian', 'atr', 'rsi'] as const) {
      expect(() => indicators[name](bad)).toThrow(RangeError);
    }
    expect(() => indicators.macd({ fast: bad })).toThrow(RangeError);
    expect(() => indicators.bollinger({ period: bad })).toThrow(RangeError);
  });

  test('a macd with a fast period above the slow one is refused', () => {
    expect(() => indicators.macd({ fast: 26, slow: 26 })).toThrow('macd (slow)');
  });
});
