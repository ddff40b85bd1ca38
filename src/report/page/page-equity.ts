import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { OpenTrade } from '../round-trips.js';
import { keptRows } from '../run-folder.js';
import type { EquityBand, EquityCurve } from '../statistics/equity-curve.js';
import { entryValue, type MeasuredTrade } from '../statistics/trade-statistics.js';
import type { PageEquity } from './page-data.js';
import { moneyDigits, shareDigits } from './page-numbers.js';

export interface EquityInput {
  readonly curve: EquityCurve;
  /** Equity before the first row. */
  readonly cash: number;
  /** Buy and hold at the times of the curve. */
  readonly benchmark?: EquityCurve;
  /** The lowest and the highest equity at the times of the curve, where candles leave it open. */
  readonly bounds?: EquityBand | undefined;
  readonly trades: readonly MeasuredTrade[];
  readonly openTrades: readonly OpenTrade[];
  /** Currency of the run per USDT. */
  readonly rate: number;
}

/** The curve in about `maxRows` rows: extremes, peaks and ends of days stay. Drawdowns are those of the whole curve. */
export function pageEquity(input: EquityInput, maxRows: number): PageEquity {
  const { curve, cash, benchmark, bounds } = input;
  const { times, equity, length } = curve;
  const rows =
    length <= maxRows
      ? Array.from({ length }, (_, index) => index)
      : [...keptRows(curve, cash, maxRows)];
  const at = rows.map((row) => times.at(row) as number);
  const exposure = exposureAt(at, input);
  const percentOf = (values: readonly number[]): readonly number[] =>
    rows.map((row, index) => {
      const base = equity[row] as number;
      return base > 0 ? shareDigits(((values[index] as number) / base) * 100) : 0;
    });
  const money = (values: Float64Array): readonly number[] =>
    rows.map((row) => moneyDigits(values[row] as number));
  return {
    times: at.map((time) => time / 1_000),
    equity: money(equity),
    drawdown: drawdownAt(rows, curve, cash),
    benchmark: benchmark === undefined ? null : money(benchmark.equity),
    bounds: bounds === undefined ? null : { low: money(bounds.low), high: money(bounds.high) },
    long: percentOf(exposure.long),
    short: percentOf(exposure.short),
  };
}

/** Per cent below the running peak at each of `rows`, which ascend. */
export function drawdownAt(
  rows: readonly number[],
  { equity }: EquityCurve,
  cash: number,
): readonly number[] {
  let peak = cash;
  let next = 0;
  return rows.map((row) => {
    for (; next <= row; next += 1) peak = Math.max(peak, equity[next] as number);
    const value = equity[row] as number;
    return peak > 0 ? shareDigits(Math.min(0, (value / peak - 1) * 100)) : 0;
  });
}

interface PositionChange {
  readonly time: number;
  readonly side: 'long' | 'short';
  readonly value: number;
}

/** Values at entry of the positions that are open at each of `times`, which ascend; those of shorts are negative. */
export function exposureAt(
  times: readonly number[],
  { trades, openTrades, rate }: Pick<EquityInput, 'trades' | 'openTrades' | 'rate'>,
): { readonly long: readonly number[]; readonly short: readonly number[] } {
  const changes = [...trades.flatMap((trade) => changesOf(trade, rate))];
  for (const { side, entryTime, quantity, entryPrice } of openTrades) {
    const value = numberFromFixed(quantity) * numberFromFixed(entryPrice) * rate;
    changes.push({ time: entryTime, side, value });
  }
  changes.sort((a, b) => a.time - b.time);
  const open = { long: 0, short: 0 };
  const [long, short]: [number[], number[]] = [[], []];
  let next = 0;
  for (const time of times) {
    for (let change = changes[next]; change !== undefined && change.time <= time;) {
      open[change.side] += change.value;
      next += 1;
      change = changes[next];
    }
    long.push(settled(open.long));
    short.push(-settled(open.short));
  }
  return { long, short };
}

function changesOf(trade: MeasuredTrade, rate: number): readonly PositionChange[] {
  const value = entryValue(trade, rate);
  const { side, entryTime, exitTime } = trade;
  return [
    { time: entryTime, side, value },
    { time: exitTime, side, value: -value },
  ];
}

/** Sums of floats leave a remainder after the last exit. */
const settled = (value: number): number => (Math.abs(value) < 1e-6 ? 0 : value);
