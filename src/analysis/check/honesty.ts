import type { BacktestPlan } from '../../backtest/plan.js';
import type { RunPool } from '../thread/run-pool.js';
import type { HonestyCheck, HonestyChecks } from '../../report/run/checks-schema.js';
import { notRun, STOPPED, unfinished } from './offence.js';
import { checkLookAhead, wholeJob } from './look-ahead-check.js';
import { checkWarmUp } from './warm-up-check.js';

/** `sluice backtest --check`: both checks of a strategy on the data of its run. */
export async function checkHonesty(plan: BacktestPlan, pool: RunPool): Promise<HonestyChecks> {
  const [answer] = await pool.run([wholeJob(plan)]);
  const outcome = answer?.outcome;
  if (answer === undefined || outcome === undefined) return neither(answer?.failure ?? STOPPED);
  const [decisions = [], again = []] = outcome.decisions;
  const look_ahead = await checkLookAhead(plan, { decisions, again, reads: answer.reads }, pool);
  const warm_up =
    decisions.length === 0
      ? notRun('the strategy decided nothing')
      : await checkWarmUp(plan, decisions, outcome.needs, pool);
  return { look_ahead, warm_up };
}

function neither(reason: string): HonestyChecks {
  const check: HonestyCheck = unfinished(reason);
  return { look_ahead: { ...check, files: [] }, warm_up: check };
}
