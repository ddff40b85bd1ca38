import { DAY_MS } from '../../core/interval.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { ProfitEvidence } from '../../report/run/evidence-schema.js';
import type { EquityHistory } from '../../report/statistics/equity-curve.js';
import { statisticsOf } from '../../report/statistics/statistics.js';
import type { MeasuredTrade } from '../../report/statistics/trade-statistics.js';

type Holdout = NonNullable<ProfitEvidence['holdout']>;

/**
 * The figures of a run before and after a date. The run is one: its positions pass the date. A trade belongs to the
 * part of its exit.
 * @param dateMs ms UTC, within the run
 */
export function holdoutOf(
  { curve, startEquity, startTime }: EquityHistory,
  trades: readonly MeasuredTrade[],
  dateMs: number,
): Holdout {
  const { times, equity, length } = curve;
  let split = 0;
  while (split < length && (times.at(split) as number) <= dateMs) split += 1;
  const atDate = split === 0 ? startEquity : (equity[split - 1] as number);
  const part = (from: number, to: number, start: { equity: number; time: number }) =>
    partOf(
      {
        startEquity: start.equity,
        startTime: start.time,
        curve: {
          times: times.subarray(from, to),
          equity: equity.subarray(from, to),
          length: to - from,
        },
      },
      trades,
    );
  return {
    date: new Date(dateMs).toISOString(),
    before: part(0, split, { equity: startEquity, time: startTime }),
    after: part(split, length, { equity: atDate, time: dateMs }),
  };
}

function partOf(history: EquityHistory, trades: readonly MeasuredTrade[]): Holdout['before'] {
  const { curve, startEquity, startTime } = history;
  const endTime = curve.times.at(curve.length - 1) ?? startTime;
  const own = trades.filter(({ exitTime }) => exitTime > startTime && exitTime <= endTime);
  const { return_pct, sharpe, max_drawdown_pct } = statisticsOf({ ...history, trades: own });
  return {
    from: new Date(startTime).toISOString(),
    to: new Date(endTime).toISOString(),
    days: (endTime - startTime) / DAY_MS,
    return_pct,
    net: (curve.equity[curve.length - 1] ?? startEquity) - startEquity,
    sharpe,
    max_drawdown_pct,
    trades: own.length,
  };
}

/** A trade in numbers, for statistics that need no exact money. */
export const netTrade = ({ netPnl, exitTime }: MeasuredTrade) => ({
  net: numberFromFixed(netPnl),
  exitTime,
});
