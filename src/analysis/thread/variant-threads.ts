import { availableParallelism } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { HangDetector } from '../../backtest/hang-detector.js';
import { HEARTBEAT_CELL, HEARTBEAT_CELLS, STOP, type Heartbeat } from '../../backtest/heartbeat.js';
import type { ProgressTerminal } from '../../backtest/progress-line.js';
import { YOUNG_GENERATION_MB } from '../../backtest/young-generation.js';
import type { VariantJob } from '../variant-run.js';
import { PoolProgressLine } from './pool-progress-line.js';
import { RunPool, type RunThread, type ThreadAnswer } from './run-pool.js';

/** Real ms between two looks at the threads. */
const PAUSE_MS = 100;
const HOOK_TIMEOUT_MS = 30_000;

/** The message to the thread of a further run. Its only answer is a `ThreadAnswer`. */
export interface VariantRequest<Options> {
  readonly options: Options;
  readonly job: VariantJob;
  /** Shared memory, see backtest/heartbeat.ts. */
  readonly heartbeat: Float64Array;
  /** Compiled modules of strategies, by source. */
  readonly compiled: ReadonlyMap<string, string>;
}

export interface VariantThreads<Options> {
  /** Compiled entry file of a thread. */
  readonly entry: URL;
  readonly options: Options & { readonly hookTimeoutMs?: number };
  readonly io: ProgressTerminal;
  /** Of the backtest: it has the user's request to stop. */
  readonly heartbeat: Heartbeat;
}

/** Further runs of a backtest on all cores. */
export function variantPool<Options>(threads: VariantThreads<Options>): RunPool {
  const line = new PoolProgressLine(threads.io);
  // Of the threads so far: to load and to run the compiler takes longer than most runs.
  const compiled = new Map<string, string>();
  return new RunPool({
    size: availableParallelism(),
    start: (job) => {
      const thread = startVariant(threads, job, compiled);
      void thread.answer.then((answer) => {
        for (const [source, code] of answer.compiled ?? []) compiled.set(source, code);
      });
      return thread;
    },
    isStopped: () => threads.heartbeat[HEARTBEAT_CELL.stop] === STOP,
    onProgress: (progress) => {
      line.show(progress);
    },
    pause: () => after(PAUSE_MS),
  });
}

function startVariant<Options>(
  { entry, options, io: { clock } }: VariantThreads<Options>,
  job: VariantJob,
  compiled: ReadonlyMap<string, string>,
): RunThread {
  const heartbeat = new Float64Array(new SharedArrayBuffer(8 * HEARTBEAT_CELLS));
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
  const worker = new Worker(entry, { stdout: true, stderr: true, resourceLimits });
  const hang = new HangDetector(heartbeat, options.hookTimeoutMs ?? HOOK_TIMEOUT_MS, PAUSE_MS);
  const answer = new Promise<ThreadAnswer>((resolve) => {
    const fail = (failure: string): void => {
      resolve({ failure, reads: [] });
      void worker.terminate();
    };
    // Several threads share the CPU time of the process: the real time counts.
    const watch = setInterval(() => {
      if (hang.check({ realMs: clock.monotonicMs(), cpuMs: 0 }) !== undefined)
        fail('the strategy did not return');
    }, PAUSE_MS);
    worker.once('message', (reply: ThreadAnswer) => {
      resolve(reply);
      void worker.terminate();
    });
    worker.once('error', (error) => {
      fail(`an uncaught error ended its thread: ${error.message}`);
    });
    worker.once('exit', () => {
      clearInterval(watch);
      fail('its thread ended');
    });
  });
  worker.postMessage({ options, job, heartbeat, compiled } satisfies VariantRequest<Options>);
  return {
    answer,
    done: () => heartbeat[HEARTBEAT_CELL.candles] ?? 0,
    stop: async () => {
      await worker.terminate();
    },
  };
}
