import type { Candle } from '../../src/core/candle.js';

/**
 * Indicators by their definitions: each value is computed from the whole series or window, without state
 * between values. Slow and obviously correct. undefined means not warm.
 */
export type Series = readonly (number | undefined)[];
export type Rows = readonly Candle[];

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

/** A function of the last `period` values; undefined unless all of them exist. */
export function rolling(
  values: Series,
  period: number,
  of: (window: readonly number[]) => number,
): Series {
  return values.map((_, index) => {
    const window = values.slice(Math.max(0, index - period + 1), index + 1);
    const known = window.filter((value) => value !== undefined);
    return known.length === period ? of(known) : undefined;
  });
}

export const sma = (values: Series, period: number): Series => rolling(values, period, mean);

export const wma = (values: Series, period: number): Series =>
  rolling(values, period, (window) => {
    const weighted = window.map((value, index) => value * (index + 1));
    return sum(weighted) / sum(window.map((_, index) => index + 1));
  });

export const deviation = (values: Series, period: number): Series =>
  rolling(values, period, (window) => {
    const middle = mean(window);
    return Math.sqrt(mean(window.map((value) => (value - middle) ** 2)));
  });

export const highest = (values: Series, period: number): Series =>
  rolling(values, period, (window) => Math.max(...window));
export const lowest = (values: Series, period: number): Series =>
  rolling(values, period, (window) => Math.min(...window));

/** Exponential smoothing by `weight`, seeded with the mean of the first `period` known values. */
function smoothed(values: Series, period: number, weight: number): Series {
  const first = values.findIndex((value) => value !== undefined);
  let current: number | undefined;
  return values.map((value, index) => {
    if (first < 0 || value === undefined || index < first + period - 1) return undefined;
    if (current === undefined) current = mean(values.slice(first, index + 1) as number[]);
    else current += weight * (value - current);
    return current;
  });
}

export const ema = (values: Series, period: number): Series =>
  smoothed(values, period, 2 / (period + 1));
export const wilder = (values: Series, period: number): Series =>
  smoothed(values, period, 1 / period);

/** A function of the same row of several series; undefined unless all of them exist. */
export function rowwise(of: (...row: number[]) => number, ...series: readonly Series[]): Series {
  return (series[0] ?? []).map((_, index) => {
    const row = series.map((one) => one[index]);
    return row.every((value) => value !== undefined) ? of(...row) : undefined;
  });
}

/** A function of each row and the previous one. */
export function changes<Row>(rows: readonly Row[], of: (row: Row, before: Row) => number): Series {
  return rows.map((row, index) => {
    const before = rows[index - 1];
    return before === undefined ? undefined : of(row, before);
  });
}

export function rsi(values: readonly number[], period: number): Series {
  const gains = changes(values, (value, before) => Math.max(0, value - before));
  const losses = changes(values, (value, before) => Math.max(0, before - value));
  return rowwise(
    (gain, loss) => (gain + loss === 0 ? 50 : 100 - 100 / (1 + gain / loss)),
    wilder(gains, period),
    wilder(losses, period),
  );
}

export const trueRange = (rows: Rows): Series =>
  changes(rows, ({ high, low }, { close }) =>
    Math.max(high - low, Math.abs(high - close), Math.abs(low - close)),
  );

export const atr = (rows: Rows, period: number): Series => wilder(trueRange(rows), period);

export function directional(
  rows: Rows,
  period: number,
): { readonly adx: Series; readonly plus: Series; readonly minus: Series } {
  const ranges = atr(rows, period);
  const up = changes(rows, (row, before) => {
    const [rise, fall] = [row.high - before.high, before.low - row.low];
    return rise > fall && rise > 0 ? rise : 0;
  });
  const down = changes(rows, (row, before) => {
    const [rise, fall] = [row.high - before.high, before.low - row.low];
    return fall > rise && fall > 0 ? fall : 0;
  });
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
  const plus = rowwise(share, wilder(up, period), ranges);
  const minus = rowwise(share, wilder(down, period), ranges);
  const index = rowwise((a, b) => share(Math.abs(a - b), a + b), plus, minus);
  return { adx: wilder(index, period), plus, minus };
}

export function stochastic(
  rows: Rows,
  period: number,
  smooth: number,
  signal: number,
): { readonly k: Series; readonly d: Series } {
  const top = highest(
    rows.map(({ high }) => high),
    period,
  );
  const bottom = lowest(
    rows.map(({ low }) => low),
    period,
  );
  const position = rowwise(
    (high, low, close) => (high === low ? 50 : (100 * (close - low)) / (high - low)),
    top,
    bottom,
    rows.map(({ close }) => close),
  );
  const k = sma(position, smooth);
  return { k, d: sma(k, signal) };
}

/** Bands and trend as described by TradingView and Stock.Indicators, step by step. */
export function supertrend(rows: Rows, period: number, multiplier: number): Series {
  const ranges = atr(rows, period);
  let [upper, lower, rising] = [NaN, NaN, true];
  return rows.map(({ high, low, close }, index) => {
    const range = ranges[index];
    if (range === undefined) return undefined;
    const middle = (high + low) / 2;
    const [above, below] = [middle + multiplier * range, middle - multiplier * range];
    const before = rows[index - 1]?.close ?? NaN;
    if (Number.isNaN(upper)) rising = close >= middle;
    upper = Number.isNaN(upper) || above < upper || before > upper ? above : upper;
    lower = Number.isNaN(lower) || below > lower || before < lower ? below : lower;
    rising = close > (rising ? lower : upper);
    return rising ? lower : upper;
  });
}

/** Computed from all candles of the same UTC day up to each row. */
export function vwap(rows: Rows): Series {
  const dayOf = ({ openTime }: Candle): number => Math.floor(openTime / 86_400_000);
  return rows.map((row, index) => {
    const session = rows.slice(0, index + 1).filter((one) => dayOf(one) === dayOf(row));
    const volume = sum(session.map((one) => one.volume));
    const money = sum(session.map((one) => ((one.high + one.low + one.close) / 3) * one.volume));
    return volume === 0 ? undefined : money / volume;
  });
}

export function mfi(rows: Rows, period: number): Series {
  const typical = rows.map(({ high, low, close }) => (high + low + close) / 3);
  const flow = (sign: number): Series =>
    rowwise(
      (change, price, volume) => (Math.sign(change) === sign ? price * volume : 0),
      changes(typical, (price, before) => price - before),
      typical,
      rows.map(({ volume }) => volume),
    );
  return rowwise(
    (into, out) => (into + out === 0 ? 50 : (100 * into) / (into + out)),
    rolling(flow(1), period, sum),
    rolling(flow(-1), period, sum),
  );
}

export const cci = (rows: Rows, period: number): Series =>
  rolling(
    rows.map(({ high, low, close }) => (high + low + close) / 3),
    period,
    (window) => {
      const middle = mean(window);
      const deviation = mean(window.map((price) => Math.abs(price - middle)));
      const last = window.at(-1) ?? NaN;
      return Math.min(...window) === Math.max(...window)
        ? 0
        : (last - middle) / (0.015 * deviation);
    },
  );
