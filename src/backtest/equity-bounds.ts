import { isGreater, isLess, type Amount } from '../core/fixed/fixed.js';
import type { EquityBand } from '../report/statistics/equity-curve.js';
import { createGate } from '../risk/gate.js';
import type { BacktestPlan } from './plan.js';
import { runBacktest, type BacktestRun } from './run.js';

/** Lowest and highest final equity, in the run's currency. */
export interface EquityBounds {
  readonly low: Amount;
  readonly high: Amount;
  /** The same at the end of each candle of the run; absent: one answer. */
  readonly band?: EquityBand;
}

const OUTER_PATHS = ['pessimistic', 'optimistic'] as const;

/**
 * The final equity of the same strategy when the prices inside each candle come in the order that hurts its
 * position, and in the order that helps it. Candles leave that open; the strategy decides anew in each run. A run
 * without ambiguous candles has one answer and is not repeated.
 * @returns undefined when it was stopped
 */
export function equityBounds(plan: BacktestPlan, run: BacktestRun): EquityBounds | undefined {
  const { onExchangeEvent: _event, ...again } = plan;
  let [low, high] = [run.finalEquity, run.finalEquity];
  if (run.ambiguousCandles === 0) return { low, high };
  const band: EquityBand = { low: run.equity.slice(), high: run.equity.slice() };
  for (const intrabar of OUTER_PATHS) {
    if (intrabar === plan.intrabar) continue;
    const bound = runBacktest({ ...again, intrabar, gate: createGate(plan.gate) });
    if (bound.interrupted) return undefined;
    const { finalEquity } = bound;
    if (isLess(finalEquity, low)) low = finalEquity;
    if (isGreater(finalEquity, high)) high = finalEquity;
    widen(band, bound.equity);
  }
  return { low, high, band };
}

/** All runs have the candles of one plan, hence the same rows. */
function widen({ low, high }: EquityBand, equity: Float64Array): void {
  for (let row = 0; row < equity.length; row += 1) {
    const value = equity[row] as number;
    if (value < (low[row] as number)) low[row] = value;
    if (value > (high[row] as number)) high[row] = value;
  }
}
