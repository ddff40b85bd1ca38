import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { ReadLog } from '../../../analysis/thread/read-log.js';
import type { ThreadAnswer } from '../../../analysis/thread/run-pool.js';
import type { VariantRequest } from '../../../analysis/thread/variant-threads.js';
import { DecisionRecorder, runVariant } from '../../../analysis/variant-run.js';
import { StrategyParamsError } from '../../../strategy/contract/params-error.js';
import { setCompiledCodeCache } from '../../../strategy/loader/loader-compiler.js';
import { reportFailure } from '../../report-failure.js';
import type { BacktestOptions } from './backtest-options.js';
import { planBacktest } from './backtest-plan.js';
import { silentIo } from './silent-io.js';

/** Entry of the thread of a further run: it plans the backtest anew, runs one variant and answers. */
async function run(request: VariantRequest<BacktestOptions>): Promise<ThreadAnswer> {
  const { options, job, heartbeat } = request;
  const compiled = new Map<string, string>();
  setCompiledCodeCache({
    find: (source) => request.compiled.get(source),
    store: (source, code) => {
      compiled.set(source, code);
    },
  });
  const isChecked = job.wantsDecisions === true;
  const readLog = isChecked ? new ReadLog(heartbeat) : undefined;
  const recorder = isChecked ? new DecisionRecorder(heartbeat) : undefined;
  const params = { ...options.params, ...job.params };
  const planned = await planBacktest({ ...options, params }, silentIo, {
    heartbeat,
    ...(job.sizeFactor !== undefined && { sizeFactor: job.sizeFactor }),
    ...(recorder !== undefined && { observerOf: (id) => recorder.observerOf(id) }),
  });
  const outcome = runVariant(planned.plan, job, recorder);
  return { outcome, reads: readLog?.readsOf(planned.inputs) ?? [], compiled };
}

/** With a configuration file the cause is inside of its error. */
const isParameterFault = (error: unknown): boolean =>
  error instanceof StrategyParamsError ||
  (error instanceof Error && error.cause instanceof StrategyParamsError);

if (parentPort !== null) {
  const [request] = (await once(parentPort, 'message')) as [VariantRequest<BacktestOptions>];
  try {
    parentPort.postMessage(await run(request));
  } catch (error) {
    const failure = reportFailure(error, request.options.debug).text.trim();
    const isRefused = request.job.params !== undefined && isParameterFault(error);
    parentPort.postMessage({ failure, isRefused, reads: [] } satisfies ThreadAnswer);
  }
}
