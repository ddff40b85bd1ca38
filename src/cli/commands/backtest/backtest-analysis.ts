import { checkHonesty } from '../../../analysis/check/honesty.js';
import { profitEvidenceOf } from '../../../analysis/evidence/profit-evidence.js';
import { runRobust } from '../../../analysis/evidence/robustness.js';
import { unwatchedHeartbeat, type Heartbeat } from '../../../backtest/heartbeat.js';
import type { BacktestReport } from '../../../backtest/result.js';
import type { RunRecord } from '../../../backtest/run-record.js';
import type { BacktestRun } from '../../../backtest/run.js';
import type { Io } from '../../command-io.js';
import type { BacktestOptions } from './backtest-options.js';
import type { PlannedBacktest } from './backtest-plan.js';

const ENTRY = new URL('./variant-main.js', import.meta.url);

interface AnalysedRun {
  readonly planned: PlannedBacktest;
  readonly run: BacktestRun;
  readonly reported: BacktestReport;
}

/** Answers beyond the figures of the run itself. */
export type BacktestAnalysis = Pick<RunRecord, 'checks' | 'evidence'>;

/** Weighs a run. Where an option asks for it, the strategy runs again on all cores. */
export async function analyse(
  { planned, run, reported }: AnalysedRun,
  options: BacktestOptions,
  io: Io,
  heartbeat: Heartbeat = unwatchedHeartbeat(),
): Promise<BacktestAnalysis> {
  const { plan, inputs } = planned;
  const facts = { plan, run, reported, holdoutMs: options.holdout };
  if (!options.check && !options.robust)
    return { checks: null, evidence: profitEvidenceOf({ ...facts, checks: null }) };
  // Loaded on demand: a plain backtest starts no thread.
  const { variantPool } = await import('../../../analysis/thread/variant-threads.js');
  const pool = variantPool({ entry: ENTRY, options, io, heartbeat });
  const checks = options.check ? await checkHonesty(plan, pool) : null;
  const [only, ...others] = inputs.strategies;
  const params = others.length === 0 ? only?.params : undefined;
  const robust = options.robust ? await runRobust(plan, params, pool) : undefined;
  return { checks, evidence: profitEvidenceOf({ ...facts, checks, robust }) };
}
