import type { StrategyRead } from '../check/strategy-read.js';
import type { VariantJob, VariantOutcome } from '../variant-run.js';

/** The answer of a thread. */
export interface ThreadAnswer {
  readonly outcome?: VariantOutcome;
  /** Why there is no outcome. */
  readonly failure?: string;
  /** The strategy does not take the parameters of the job: it has no such run, and none failed. */
  readonly isRefused?: boolean;
  /** Files that the strategy's code has read. */
  readonly reads: readonly StrategyRead[];
  /** Modules of strategies that this thread has compiled, by source. */
  readonly compiled?: ReadonlyMap<string, string>;
}

/** A thread that runs one job and ends. */
export interface RunThread {
  readonly answer: Promise<ThreadAnswer>;
  /** Candles that it has run. */
  readonly done: () => number;
  readonly stop: () => Promise<void>;
}

export interface RunPoolOptions {
  /** Threads at a time. */
  readonly size: number;
  readonly start: (job: VariantJob) => RunThread;
  /** The user asks to stop. */
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: PoolProgress) => void;
  /** Resolves after a short real time. */
  readonly pause: () => Promise<void>;
}

/** Progress of all jobs so far. */
export interface PoolProgress {
  readonly runs: number;
  readonly allRuns: number;
  readonly candles: number;
  readonly allCandles: number;
}

/**
 * Runs jobs on threads. Each job has a fresh thread, so that no state of a strategy's modules passes from one run
 * to another, and the answers do not depend on the number of cores.
 */
export class RunPool {
  readonly #options: RunPoolOptions;
  #runs = 0;
  #candles = 0;
  #allRuns = 0;
  #allCandles = 0;

  constructor(options: RunPoolOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#options.isStopped();
  }

  /** @returns the answers in the order of the jobs; undefined for those that the user's stop left out */
  async run(jobs: readonly VariantJob[]): Promise<readonly (ThreadAnswer | undefined)[]> {
    const answers: (ThreadAnswer | undefined)[] = jobs.map(() => undefined);
    const running = new Map<number, RunThread>();
    this.#allRuns += jobs.length;
    this.#allCandles += jobs.reduce((sum, { candles }) => sum + candles, 0);
    let next = 0;
    while ((next < jobs.length || running.size > 0) && !this.isStopped) {
      for (; next < jobs.length && running.size < this.#options.size; next += 1) {
        const index = next;
        const job = jobs[index] as VariantJob;
        const thread = this.#options.start(job);
        running.set(index, thread);
        void thread.answer.then((answer) => {
          answers[index] = answer;
          running.delete(index);
          this.#runs += 1;
          this.#candles += job.candles;
        });
      }
      this.#report(running);
      await Promise.race([
        this.#options.pause(),
        ...[...running.values()].map(({ answer }) => answer),
      ]);
    }
    await Promise.all([...running.values()].map((thread) => thread.stop()));
    this.#report(new Map());
    return answers;
  }

  #report(running: ReadonlyMap<number, RunThread>): void {
    const active = [...running.values()].reduce((sum, { done }) => sum + done(), 0);
    this.#options.onProgress({
      runs: this.#runs,
      allRuns: this.#allRuns,
      candles: this.#candles + active,
      allCandles: this.#allCandles,
    });
  }
}
