import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { backtestCommand } from './backtest-command.js';
import type { Io } from '../../command-io.js';
import { buildHash } from '../../../io/node/build-hash.js';
import { silentIo } from './silent-io.js';
import { reportFailure } from '../../report-failure.js';
import type { BacktestJob, BacktestMessage } from './backtest-worker-protocol.js';

const build = buildHash();

/** Entry of the backtest thread. It runs the whole command, so that the main thread can terminate it. */
function post(message: BacktestMessage): void {
  parentPort?.postMessage(message);
}

const ioOf = ({ isTerminal, version }: BacktestJob): Io => ({
  ...silentIo,
  stdout: (text) => {
    post({ kind: 'stdout', text });
  },
  stderr: (text) => {
    post({ kind: 'stderr', text });
  },
  isTerminal,
  ...(version !== undefined && { version }),
  ...(build !== undefined && { build }),
});

async function run(job: BacktestJob): Promise<number> {
  const { options, heartbeat } = job;
  const io = ioOf(job);
  const onStarted = (run: Extract<BacktestMessage, { kind: 'began' }>['run']): void => {
    post({ kind: 'began', run });
  };
  try {
    return await backtestCommand(options, io, { heartbeat, onStarted });
  } catch (error) {
    const { exitCode, text } = reportFailure(error, options.debug);
    io.stderr(text);
    return exitCode;
  }
}

// The thread may start before the command line is parsed, so it waits for its job.
if (parentPort !== null) {
  const [job] = (await once(parentPort, 'message')) as [BacktestJob];
  post({ kind: 'ended', exitCode: await run(job) });
}
