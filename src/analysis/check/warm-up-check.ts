import { marketsOf, type BacktestPlan } from '../../backtest/plan.js';
import { closeTimeOf, nominalMs } from '../../core/interval.js';
import { planWarmUp, type WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { RunPool } from '../thread/run-pool.js';
import type { WarmUpNeeds, VariantJob } from '../variant-run.js';
import type { HonestyCheck } from '../../report/run/checks-schema.js';
import { instantOf, notRun, offenceOf, STOPPED, unfinished } from './offence.js';
import { firstDifference } from './decision-difference.js';
import type { StrategyDecision } from './decision.js';
import { candlesUntil } from './look-ahead-check.js';

/** Candles from which the strategy acts, as a bot that starts there. */
const STARTS = 3;
/** Candles of the longest interval of the strategies over which the decisions are compared. */
const COMPARED = 200;

/**
 * Decides whether a longer warm-up changes the decisions: the strategy starts in the middle of the data once with the
 * warm-up that it declares, as `sluice run` loads it, and once with all the history.
 */
export async function checkWarmUp(
  plan: BacktestPlan,
  decisions: readonly StrategyDecision[],
  needs: readonly WarmUpNeeds[],
  pool: RunPool,
): Promise<HonestyCheck> {
  const starts = startsOf(plan, decisions, needs);
  if (starts.length === 0)
    return notRun('no decision has twice the warm-up of the strategy before it');
  const longest = Math.max(...plan.strategies.map(({ interval }) => nominalMs(interval)));
  const jobs = starts.flatMap((start): readonly VariantJob[] => {
    const live = { liveFromMs: start, untilMs: start + COMPARED * longest };
    return [historyFrom(plan, needs, start), undefined].map((fromMs) => ({
      variant: { ...live, ...(fromMs !== undefined && { fromMs }) },
      wantsDecisions: true,
      candles: candlesUntil(plan, live.untilMs) - candlesUntil(plan, fromMs ?? -Infinity),
    }));
  });
  const answers = await pool.run(jobs);
  if (answers.some((answer) => answer === undefined)) return unfinished(STOPPED);
  const failure = answers.find((answer) => answer?.failure !== undefined)?.failure;
  if (failure !== undefined) return unfinished(failure);
  const logs = answers.map((answer) => answer?.outcome?.decisions[0] ?? []);
  const offences = starts.flatMap((_, index) => {
    const difference = firstDifference(logs[2 * index] ?? [], logs[2 * index + 1] ?? []);
    return difference === undefined ? [] : [offenceOf('warm_up', difference)];
  });
  return {
    status: offences.length === 0 ? 'passed' : 'failed',
    reason: null,
    runs: jobs.length,
    candles: starts.map(instantOf),
    offence: offences[0] ?? null,
  };
}

/** Open times from which to act: shortly before decisions, with at least twice the warm-up before them. */
function startsOf(
  plan: BacktestPlan,
  decisions: readonly StrategyDecision[],
  needs: readonly WarmUpNeeds[],
): readonly number[] {
  const first = Math.max(...marketsOf(plan).map(({ columns }) => columns.openTime[0] as number));
  const usable = [...new Set(decisions.map(({ candle }) => candle))].filter((candle) => {
    const needed = candle - historyFrom(plan, needs, candle);
    return candle - 2 * needed - closeTimeOf(plan.base, 0) >= first;
  });
  const chosen = Array.from(
    { length: STARTS },
    (_, index) => usable[Math.floor(((index + 0.5) * usable.length) / STARTS)],
  );
  return [...new Set(chosen.filter((candle) => candle !== undefined))];
}

/** Open time of the first candle that a bot loads which starts to act on the candle of `start`. */
function historyFrom({ base }: BacktestPlan, needs: readonly WarmUpNeeds[], start: number): number {
  const all: readonly WarmUpRequirement[] = needs.flatMap((each) => each.needs);
  return planWarmUp(base, all, start).range.fromMs;
}
