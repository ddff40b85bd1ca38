import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { backtestCommand } from '../backtest-command.js';
import type { Io } from '../command-options.js';
import { nodeClock } from './node-clock.js';
import { nodeFiles } from './node-files.js';
import { nodeRandom } from './node-random.js';
import { nodeScheduler } from './node-scheduler.js';
import { reportFailure } from '../report-failure.js';
import type { BacktestJob, BacktestNews } from '../thread/backtest-protocol.js';

/** The thread of a backtest: the whole command, so that the one that started it can end it. */
function tell(news: BacktestNews): void {
  parentPort?.postMessage(news);
}

const ioOf = ({ isTerminal }: BacktestJob): Io => ({
  stdout: (text) => {
    tell({ kind: 'stdout', text });
  },
  stderr: (text) => {
    tell({ kind: 'stderr', text });
  },
  isTerminal,
  env: process.env,
  // Signals come to the thread that started this one.
  onSignal: () => () => undefined,
  clock: nodeClock,
  scheduler: nodeScheduler,
  random: nodeRandom,
  files: nodeFiles,
});

async function run(job: BacktestJob): Promise<number> {
  const { options, pulse } = job;
  const io = ioOf(job);
  const began = (run: Extract<BacktestNews, { kind: 'began' }>['run']): void => {
    tell({ kind: 'began', run });
  };
  try {
    return await backtestCommand(options, io, { pulse, began });
  } catch (error) {
    const { exitCode, text } = reportFailure(error, options.debug);
    io.stderr(text);
    return exitCode;
  }
}

// It may have been started before the command line was read.
if (parentPort !== null) {
  const [job] = (await once(parentPort, 'message')) as [BacktestJob];
  tell({ kind: 'ended', exitCode: await run(job) });
}
