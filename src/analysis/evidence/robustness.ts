import type { BacktestPlan } from '../../backtest/plan.js';
import type { ProfitEvidence, RobustResult } from '../../report/run/evidence-schema.js';
import { quantile } from '../../report/statistics/day-returns.js';
import { candlesUntil } from '../check/look-ahead-check.js';
import type { RunPool, ThreadAnswer } from '../thread/run-pool.js';
import type { RunFigures, VariantJob } from '../variant-run.js';
import { COST_FACTORS, SIZE_FACTORS, VOLUME_IMPACT } from './cost-curve.js';

/** First candles of further runs, evenly over the first half of the period. */
const STARTS = 20;
/** A parameter is this share larger and smaller. */
const OFF = 0.2;

/** A parameter of the strategy with another value. */
export interface ParameterValue {
  readonly name: string;
  readonly value: string;
}

/** Results that replace those of the run's own fills. */
export interface RobustRuns {
  readonly robust: RobustResult;
  readonly costs: ProfitEvidence['costs']['net_at'] | undefined;
  readonly capacity: ProfitEvidence['capacity']['net_at'] | undefined;
}

interface Part {
  readonly kind: 'start' | 'parameter' | 'cost' | 'size';
  readonly job: VariantJob;
  readonly parameter?: ParameterValue;
}

/**
 * Values 20 % below and above each number. A whole number stays whole and moves by 1 at least.
 * @param params of the run's only strategy
 */
export function neighbouringValues(params: unknown): readonly ParameterValue[] {
  if (typeof params !== 'object' || params === null) return [];
  return Object.entries(params).flatMap(([name, value]) => {
    if (typeof value !== 'number' || value === 0 || !Number.isFinite(value)) return [];
    const step = Number.isInteger(value)
      ? Math.max(1, Math.round(Math.abs(value) * OFF))
      : Math.abs(value) * OFF;
    return [value - step, value + step].map((each) => ({
      name,
      value: String(Number(each.toPrecision(12))),
    }));
  });
}

/** `--robust`: the run with other starts, parameters, costs and sizes. Ctrl-C keeps what is done. */
export async function runRobust(
  plan: BacktestPlan,
  params: unknown,
  pool: RunPool,
): Promise<RobustRuns> {
  const parts = partsOf(plan, params);
  const answers = await pool.run(parts.map(({ job }) => job));
  const results = parts.map((part, index) => ({ part, ...endOf(answers[index]) }));
  const of = (kind: Part['kind']) => results.filter(({ part }) => part.kind === kind);
  const done = (kind: Part['kind']) => of(kind).flatMap(({ figures }) => figures ?? []);
  const failures = results.flatMap(({ part, failure }) =>
    failure === undefined ? [] : [{ run: nameOf(part), reason: failure }],
  );
  return {
    robust: {
      runs: parts.length,
      missing: answers.filter((answer) => answer === undefined).length,
      refused: answers.filter((answer) => answer?.isRefused === true).length,
      failed: failures.length,
      failures,
      starts: spreadOf(done('start')),
      parameters: spreadOf(done('parameter')),
      parameter_runs: of('parameter').flatMap(({ part: { parameter }, figures }) =>
        figures === undefined || parameter === undefined
          ? []
          : [{ ...parameter, return_pct: figures.return_pct, net: figures.net }],
      ),
    },
    costs: netsOf(COST_FACTORS, of('cost')),
    capacity: netsOf(SIZE_FACTORS, of('size'))?.map((each) => ({ ...each, above_volume: null })),
  };
}

function partsOf(plan: BacktestPlan, params: unknown): readonly Part[] {
  const candles = candlesUntil(plan, Infinity);
  const { openTime, length } = plan.columns;
  const starts = Array.from(
    { length: STARTS },
    (_, index) => openTime[Math.floor((index * length) / (2 * STARTS))] as number,
  );
  const slippage = { kind: 'volume', impact: VOLUME_IMPACT } as const;
  return [
    ...[...new Set(starts)].map((fromMs): Part => ({
      kind: 'start',
      job: { variant: { fromMs }, candles: candles - candlesUntil(plan, fromMs - 1) },
    })),
    ...neighbouringValues(params).map((parameter): Part => ({
      kind: 'parameter',
      parameter,
      job: { variant: {}, params: { [parameter.name]: parameter.value }, candles },
    })),
    ...COST_FACTORS.map((costFactor): Part => ({
      kind: 'cost',
      job: { variant: { costFactor }, candles },
    })),
    ...SIZE_FACTORS.map((factor): Part => ({
      kind: 'size',
      job: { variant: { cashFactor: factor, slippage }, sizeFactor: factor, candles },
    })),
  ];
}

interface RunEnd {
  /** undefined: the run has none, or its strategy failed on the way to them. */
  readonly figures?: RunFigures;
  readonly failure?: string;
}

function endOf(answer: ThreadAnswer | undefined): RunEnd {
  if (answer === undefined || answer.isRefused === true) return {};
  const { outcome, failure = outcome?.error } = answer;
  if (failure !== undefined) return { failure: reasonOf(failure) };
  return outcome === undefined ? { failure: 'it has no result' } : { figures: outcome.figures };
}

/** One line, without the name of the program. */
const reasonOf = (failure: string): string =>
  failure.replace(/^sluice: /, '').replace(/\s*\n\s*/g, ' ');

function nameOf({ kind, job, parameter }: Part): string {
  const { fromMs, costFactor, cashFactor } = job.variant;
  if (parameter !== undefined) return `${parameter.name}=${parameter.value}`;
  if (kind === 'start') return `start ${new Date(fromMs ?? 0).toISOString()}`;
  return kind === 'cost' ? `${costFactor} × costs` : `${cashFactor} × size`;
}

/** undefined unless every run has ended. */
function netsOf(
  factors: readonly number[],
  runs: readonly RunEnd[],
): readonly { readonly factor: number; readonly net: number }[] | undefined {
  const nets = factors.map((factor, index) => ({ factor, net: runs[index]?.figures?.net }));
  return nets.every((each): each is { factor: number; net: number } => each.net !== undefined)
    ? nets
    : undefined;
}

function spreadOf(runs: readonly RunFigures[]): RobustResult['starts'] {
  const returns = runs
    .flatMap(({ return_pct }) => return_pct ?? [])
    .sort((one, other) => one - other);
  const positive = runs.filter(({ net }) => net > 0).length;
  return {
    runs: runs.length,
    positive_pct: runs.length === 0 ? null : (positive / runs.length) * 100,
    worst_pct: returns[0] ?? null,
    median_pct: quantile(returns, 0.5),
    best_pct: returns.at(-1) ?? null,
  };
}
