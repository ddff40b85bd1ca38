import { marketsOf, type BacktestPlan } from '../../backtest/plan.js';
import type { BacktestRun } from '../../backtest/run.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { ProfitEvidence } from '../../report/run/evidence-schema.js';
import { finite } from '../../report/statistics/moments.js';

export const COST_FACTORS = [0.5, 1, 2, 3] as const;
export const SIZE_FACTORS = [1, 5, 20] as const;

/** Zipline's impact of an order that takes the whole volume of its candle, as a share of the price. */
export const VOLUME_IMPACT = 0.1;
const BPS = 10_000;

/** Money of a run, in its currency. */
export interface RunMoney {
  readonly net: number;
  readonly fees: number;
  readonly slippage: number;
  /** Σ price × quantity of all fills. */
  readonly traded: number;
  /** Currency of the run per USDT. */
  readonly rate: number;
}

export function runMoneyOf(plan: BacktestPlan, run: BacktestRun): RunMoney {
  const rate = plan.currency === 'USDT' ? 1 : numberFromFixed(plan.hedgeRate);
  let traded = 0;
  for (const { execution } of run.fills)
    traded += numberFromFixed(execution.price) * numberFromFixed(execution.quantity) * rate;
  return {
    net: numberFromFixed(run.finalEquity) - numberFromFixed(plan.cash),
    fees: numberFromFixed(run.totals.fees),
    slippage: numberFromFixed(run.slippage) * rate,
    traded,
    rate,
  };
}

/** The same fills with fees and slippage that are `factor` times as high; funding stays. */
export function costCurve({ net, fees, slippage, traded }: RunMoney): ProfitEvidence['costs'] {
  const costs = fees + slippage;
  return {
    method: 'fills',
    net_at: COST_FACTORS.map((factor) => ({ factor, net: net - (factor - 1) * costs })),
    paid_bps: finite((costs / traded) * BPS),
    break_even_bps: finite(((net + costs) / traded) * BPS),
  };
}

/**
 * The same fills at `factor` times the size, with slippage by the share of the candle's volume instead of that of
 * the run: p × 0.1 × (quantity ÷ volume)², at most p × 0.1 (Zipline's VolumeShareSlippage).
 */
export function capacityCurve(
  plan: BacktestPlan,
  run: BacktestRun,
  { net, slippage, rate }: RunMoney,
): ProfitEvidence['capacity'] {
  const columnsOf = new Map(
    marketsOf(plan).map(({ instrument, columns }) => [instrument.symbol, columns]),
  );
  // Of each fill: its part of the volume of its candle, and its value if it took liquidity.
  const shares = new Float64Array(run.fills.length);
  const takenValues = new Float64Array(run.fills.length);
  for (const [at, { order, execution }] of run.fills.entries()) {
    const columns = columnsOf.get(order.symbol);
    if (columns === undefined) continue;
    const quantity = numberFromFixed(execution.quantity);
    shares[at] = quantity / (columns.volume[columns.indexAt(execution.time)] as number);
    if (!execution.maker) takenValues[at] = numberFromFixed(execution.price) * quantity * rate;
  }
  const net_at = SIZE_FACTORS.map((factor) => {
    let [impact, above_volume] = [0, 0];
    for (let at = 0; at < shares.length; at += 1) {
      const share = factor * (shares[at] as number);
      const taken = Math.min(1, share);
      if (share > 1) above_volume += 1;
      impact += factor * (takenValues[at] as number) * VOLUME_IMPACT * taken * taken;
    }
    return { factor, net: factor * (net + slippage) - impact, above_volume };
  });
  return { method: 'fills', net_at };
}
