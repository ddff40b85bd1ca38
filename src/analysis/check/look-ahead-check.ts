import type { BacktestPlan } from '../../backtest/plan.js';
import { marketsOf } from '../../backtest/plan.js';
import type { RunPool, ThreadAnswer } from '../thread/run-pool.js';
import type { RunVariant } from '../run-variant.js';
import type { VariantJob } from '../variant-run.js';
import {
  OFFENCE_KINDS,
  type HonestyCheck,
  type HonestyChecks,
  type Offence,
  type OffenceKind,
} from '../../report/run/checks-schema.js';
import { instantOf, notRun, offenceOf, STOPPED, unfinished } from './offence.js';
import { firstDifference } from './decision-difference.js';
import { isSame, type StrategyDecision } from './decision.js';
import type { StrategyRead } from './strategy-read.js';

/** Candles after which the data is changed. */
const CUTS = 8;
/** Of two cuts, one is checked without later candles too. */
const ABSENT_EVERY = 2;

/**
 * 28 years: weekday, day of the month and leap year of each time stay, and every interval begins at the same
 * times. Later, so that today's rules of time zones hold; earlier where that passes 2099.
 */
const SHIFT_DAYS = 10_227;
const DAY_MS = 86_400_000;
const LAST_YEAR = Date.UTC(2099, 0, 1);

/** The run of the command, on a thread of its own: its decisions are the measure of the others. */
export interface WholeRun {
  readonly decisions: readonly StrategyDecision[];
  /** Of a second run on the same thread. */
  readonly again: readonly StrategyDecision[];
  readonly reads: readonly StrategyRead[];
}

/** The job of the whole run. */
export const wholeJob = (plan: BacktestPlan): VariantJob => ({
  variant: {},
  repeat: 2,
  wantsDecisions: true,
  candles: 2 * candlesUntil(plan, Infinity),
});

/**
 * Decides whether a strategy knows its future: it runs again on data whose later candles are other ones, in another
 * year and a second time, and its decisions up to there must stay the same.
 */
export async function checkLookAhead(
  plan: BacktestPlan,
  whole: WholeRun,
  pool: RunPool,
): Promise<HonestyChecks['look_ahead']> {
  const { decisions, again, reads } = whole;
  const files = [...new Set(reads.filter(({ isData }) => !isData).map(({ path }) => path))];
  if (decisions.length === 0) return { ...notRun('the strategy decided nothing'), files };
  const cuts = cutsOf(decisions);
  const variants = variantsOf(plan, cuts);
  const answers = await pool.run(
    variants.map((variant) => ({
      variant,
      wantsDecisions: true,
      candles: candlesUntil(plan, variant.untilMs ?? Infinity),
    })),
  );
  if (answers.some((answer) => answer === undefined)) return { ...unfinished(STOPPED), files };
  const failure = answers.find((answer) => answer?.failure !== undefined)?.failure;
  if (failure !== undefined) return { ...unfinished(failure), files };
  const offences = [
    ...fileOffences(reads, decisions),
    ...differences('state', [[decisions, again, Infinity]]),
    ...variants.flatMap((variant, index) => judged(variant, answers[index], decisions)),
  ];
  const offence = offences.sort(byImportance)[0] ?? null;
  const check: HonestyCheck = {
    status: offence === null ? 'passed' : 'failed',
    reason: null,
    runs: 2 + variants.length,
    candles: cuts.map(instantOf),
    offence,
  };
  return { ...check, files };
}

function variantsOf(plan: BacktestPlan, cuts: readonly number[]): readonly RunVariant[] {
  const last = Math.max(
    ...marketsOf(plan).map(({ columns }) => columns.openTime[columns.length - 1] as number),
  );
  const shiftMs = (last + SHIFT_DAYS * DAY_MS < LAST_YEAR ? 1 : -1) * SHIFT_DAYS * DAY_MS;
  return [
    ...cuts.map((untilMs): RunVariant => ({ untilMs, future: 'mirrored' })),
    ...cuts
      .filter((_, index) => index % ABSENT_EVERY === 0)
      .map((untilMs): RunVariant => ({ untilMs, future: 'absent' })),
    { shiftMs },
  ];
}

/**
 * Candles at which to change the future: those with a decision that differs from the one before, evenly over the run.
 * The first and the last one are among them.
 */
export function cutsOf(decisions: readonly StrategyDecision[]): readonly number[] {
  const candles: number[] = [];
  for (const [index, decision] of decisions.entries()) {
    const before = decisions[index - 1];
    if (candles.at(-1) === decision.candle) continue;
    if (before === undefined || !isSame(before, decision)) candles.push(decision.candle);
  }
  if (candles.length <= CUTS) return candles;
  return Array.from(
    { length: CUTS },
    (_, index) => candles[Math.round((index * (candles.length - 1)) / (CUTS - 1))] as number,
  );
}

function judged(
  { untilMs, shiftMs = 0 }: RunVariant,
  answer: ThreadAnswer | undefined,
  whole: readonly StrategyDecision[],
): readonly Offence[] {
  const decisions = (answer?.outcome?.decisions[0] ?? []).map((decision) => ({
    ...decision,
    candle: decision.candle - shiftMs,
  }));
  const kind = shiftMs === 0 ? 'future' : 'date';
  return differences(kind, [[whole, decisions, untilMs ?? Infinity]]);
}

function differences(
  kind: Exclude<OffenceKind, 'file'>,
  pairs: readonly (readonly [readonly StrategyDecision[], readonly StrategyDecision[], number])[],
): readonly Offence[] {
  return pairs.flatMap(([one, other, until]) => {
    const difference = firstDifference(one, other, until);
    return difference === undefined ? [] : [offenceOf(kind, difference)];
  });
}

function fileOffences(
  reads: readonly StrategyRead[],
  decisions: readonly StrategyDecision[],
): readonly Offence[] {
  const read = reads.find(({ isData }) => isData);
  if (read === undefined) return [];
  const { path, candle } = read;
  const strategy = decisions[0]?.strategy ?? '';
  const when = candle === undefined ? 'before the first candle' : `at ${instantOf(candle)}`;
  return [
    {
      kind: 'file',
      candle: candle === undefined ? null : instantOf(candle),
      strategy,
      symbol: null,
      field: 'file',
      decided: null,
      instead: null,
      text: `${strategy} reads the data of the run by itself, ${when}: ${path}`,
    },
  ];
}

/** The clearest cause first, then the earliest candle. */
const byImportance = (one: Offence, other: Offence): number =>
  OFFENCE_KINDS.indexOf(one.kind) - OFFENCE_KINDS.indexOf(other.kind) ||
  (one.candle ?? '').localeCompare(other.candle ?? '');

/** Candles of all symbols that open by then. */
export const candlesUntil = (plan: BacktestPlan, untilMs: number): number =>
  marketsOf(plan).reduce((sum, { columns }) => sum + columns.indexFrom(untilMs + 1), 0);
