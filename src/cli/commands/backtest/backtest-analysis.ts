import { checkHonesty } from '../../../analysis/check/honesty.js';
import { unwatchedHeartbeat, type Heartbeat } from '../../../backtest/heartbeat.js';
import type { BacktestPlan } from '../../../backtest/plan.js';
import type { HonestyChecks } from '../../../report/run/checks-schema.js';
import type { Io } from '../../command-io.js';
import type { BacktestOptions } from './backtest-options.js';

const ENTRY = new URL('./variant-main.js', import.meta.url);

/** Answers that need further runs. Each is null unless an option asks for it. */
export interface BacktestAnalysis {
  readonly checks: HonestyChecks | null;
}

/** Runs the strategy again on all cores, where an option asks for it. */
export async function analyse(
  plan: BacktestPlan,
  options: BacktestOptions,
  io: Io,
  heartbeat: Heartbeat = unwatchedHeartbeat(),
): Promise<BacktestAnalysis> {
  if (!options.check) return { checks: null };
  // Loaded on demand: a plain backtest starts no thread.
  const { variantPool } = await import('../../../analysis/thread/variant-threads.js');
  const pool = variantPool({ entry: ENTRY, options, io, heartbeat });
  return { checks: await checkHonesty(plan, pool) };
}
