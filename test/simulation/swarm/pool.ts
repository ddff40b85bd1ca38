import { fork, type ChildProcess } from 'node:child_process';
import type { SeedReduction } from './plan.js';
import { ProcessLimit } from './process-limit.js';
import type { SeedResult } from './run-seed.js';

/** A request of the parent to a worker. */
export interface Task {
  readonly seed: number;
  readonly reduction?: SeedReduction;
  /** Runs it a second time and compares the traces (P19). */
  readonly twice?: boolean;
}

/** A seed that computes or sleeps longer goes round and round, ms. */
const LONGEST_MS = 120_000;
/**
 * Nearly all that a seed makes is soon forgotten: with more room for it, less is copied. Threads of the
 * collector would take the core of the worker beside this one. MiB.
 */
const YOUNG_GENERATION_FLAGS = [
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
  '--single-threaded-gc',
];

interface Ready {
  readonly ready: true;
  readonly branches: readonly string[];
}

/** A seed without a result. */
interface Crash {
  readonly crash: string;
  /** The process ended by itself: the system may have taken its memory. */
  readonly hasEnded: boolean;
}

/** Processes that run seeds, one at a time each. */
export class Pool {
  readonly branches: readonly string[];
  readonly #module: string;
  #workers: ChildProcess[];

  private constructor(module: string, workers: ChildProcess[], branches: readonly string[]) {
    this.#module = module;
    this.#workers = workers;
    this.branches = branches;
  }

  static async open(module: string, jobs: number): Promise<Pool> {
    const workers = await Promise.all(Array.from({ length: jobs }, () => spawnWorker(module)));
    return new Pool(
      module,
      workers.map(({ worker }) => worker),
      workers[0]?.branches ?? [],
    );
  }

  /** Resolves when every task has its result. */
  async run(tasks: readonly Task[], onResult: (result: SeedResult) => void): Promise<void> {
    let next = 0;
    const work = async (workerIndex: number): Promise<void> => {
      for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
        onResult(await this.#runTask(workerIndex, task));
      }
    };
    await Promise.all(this.#workers.map((_, workerIndex) => work(workerIndex)));
  }

  close(): void {
    for (const worker of this.#workers) worker.kill('SIGKILL');
    this.#workers = [];
  }

  /** A process that ends is no finding of its seed before it has ended twice. */
  async #runTask(workerIndex: number, task: Task): Promise<SeedResult> {
    const first = await this.#attempt(workerIndex, task);
    if (!isCrash(first)) return first;
    if (!first.hasEnded) return crashedResult(task.seed, first.crash);
    process.stderr.write(`seed ${task.seed}: ${first.crash}; it runs again in a new process\n`);
    const second = await this.#attempt(workerIndex, task);
    return isCrash(second) ? crashedResult(task.seed, `twice: ${second.crash}`) : second;
  }

  async #attempt(workerIndex: number, task: Task): Promise<SeedResult | Crash> {
    const worker = this.#workers[workerIndex] as ChildProcess;
    const result = await resultOf(worker, task);
    if (!isCrash(result)) return result;
    worker.kill('SIGKILL');
    this.#workers[workerIndex] = (await spawnWorker(this.#module)).worker;
    return result;
  }
}

const isCrash = (result: SeedResult | Crash): result is Crash => 'crash' in result;

function resultOf(worker: ChildProcess, task: Task): Promise<SeedResult | Crash> {
  return new Promise((resolve) => {
    const limit = new ProcessLimit(worker.pid as number, LONGEST_MS, () => {
      end({ crash: `no end within ${LONGEST_MS} ms of its own`, hasEnded: false });
    });
    const end = (result: SeedResult | Crash): void => {
      limit.close();
      worker.removeAllListeners('message');
      worker.removeAllListeners('exit');
      resolve(result);
    };
    worker.on('message', (result) => {
      end(result as SeedResult);
    });
    worker.on('exit', (code, signal) => {
      const cause = signal ?? `exit code ${String(code)}`;
      end({ crash: `its process ended with ${cause}`, hasEnded: true });
    });
    worker.send(task);
  });
}

function spawnWorker(
  module: string,
): Promise<{ worker: ChildProcess; branches: readonly string[] }> {
  const worker = fork(module, ['--worker'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...YOUNG_GENERATION_FLAGS],
  });
  return new Promise((resolve, reject) => {
    worker.once('message', (message) => {
      worker.removeAllListeners('exit');
      resolve({ worker, branches: (message as Ready).branches });
    });
    worker.once('exit', (code) => {
      reject(new Error(`a worker could not start: exit ${String(code)}`));
    });
  });
}

const crashedResult = (seed: number, text: string): SeedResult => ({
  seed,
  violation: { check: 'P22', text, at: 0 },
  kinds: [],
  intents: 0,
  minutes: 0,
  lives: 0,
  requests: 0,
  hash: '',
  reached: [],
});
