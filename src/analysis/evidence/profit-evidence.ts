import type { BacktestPlan } from '../../backtest/plan.js';
import type { BacktestReport } from '../../backtest/result.js';
import type { BacktestRun } from '../../backtest/run.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { HonestyChecks } from '../../report/run/checks-schema.js';
import type { ProfitEvidence } from '../../report/run/evidence-schema.js';
import { rollingReturns, worstDay, yearReturns } from '../../report/statistics/day-returns.js';
import { filledDays } from '../../report/statistics/filled-days.js';
import { longestLosingRun } from '../../report/statistics/losing-run.js';
import { regimeReturns } from '../../report/statistics/market-regimes.js';
import { bootstrapTrades } from '../../report/statistics/trade-bootstrap.js';
import { capacityCurve, costCurve, runMoneyOf } from './cost-curve.js';
import { holdoutOf, netTrade } from './holdout.js';
import { nearestLiquidation } from './liquidation-distance.js';
import type { RobustRuns } from './robustness.js';
import { smallAccounts } from './small-account.js';
import { evidenceVerdict } from './verdict.js';

const ROLLING_DAYS = 90;
const BEST_TRADES = 5;

export interface EvidenceFacts {
  readonly plan: BacktestPlan;
  readonly run: BacktestRun;
  readonly reported: BacktestReport;
  /** `--holdout`, ms UTC, within the run. */
  readonly holdoutMs?: number | undefined;
  readonly checks: HonestyChecks | null;
  /** Of `--robust`. */
  readonly robust?: RobustRuns | undefined;
}

/** The figures that decide whether a trader would trade the strategy. */
export function profitEvidenceOf(facts: EvidenceFacts): ProfitEvidence {
  const { plan, run, reported, holdoutMs, checks, robust } = facts;
  const { result, curve, cash: startEquity } = reported;
  const startTime = Date.parse(result.from);
  const money = runMoneyOf(plan, run);
  const days = filledDays({ startEquity, startTime, curve });
  const market = filledDays({ startEquity, startTime, curve: reported.benchmark });
  const trades = reported.trades.map(netTrade);
  const { loss } = plan.gate.limits;
  const costs = costCurve(money);
  const evidence: Omit<ProfitEvidence, 'verdict'> = {
    costs: robust?.costs === undefined ? costs : { ...costs, method: 'runs', net_at: robust.costs },
    net_without_best_five: withoutBest(money.net, trades),
    worst_day: worstDay(days) ?? null,
    losing_run: longestLosingRun(trades) ?? null,
    nearest_liquidation: nearestLiquidation(plan, run.fills),
    years: yearReturns(days),
    rolling: rollingReturns(days, ROLLING_DAYS),
    regimes: regimeReturns(days, market),
    holdout:
      holdoutMs === undefined
        ? null
        : holdoutOf({ startEquity, startTime, curve }, reported.trades, holdoutMs),
    below_minimum: smallAccounts(plan, run, money.rate),
    capacity:
      robust?.capacity === undefined
        ? capacityCurve(plan, run, money)
        : { method: 'runs', net_at: robust.capacity },
    bootstrap:
      bootstrapTrades(trades, startEquity, {
        day: numberFromFixed(loss.maxDayShare.hard),
        drawdown: numberFromFixed(loss.maxDrawdownShare),
      }) ?? null,
    robust: robust?.robust ?? null,
  };
  const verdict = evidenceVerdict({
    currency: plan.currency,
    net: money.net,
    return_pct: result.return_pct,
    benchmark_pct: result.benchmark.return_pct,
    chance: result.sharpe_p_value,
    trades: result.trades,
    evidence,
    checks,
  });
  return { ...evidence, verdict };
}

/** Winning trades alone are left out. */
function withoutBest(net: number, trades: readonly { readonly net: number }[]): number {
  const best = trades.map((trade) => trade.net).sort((one, other) => other - one);
  return net - best.slice(0, BEST_TRADES).reduce((sum, each) => sum + Math.max(0, each), 0);
}
