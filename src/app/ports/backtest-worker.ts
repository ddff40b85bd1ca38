import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { PHASE, PULSE, PULSE_CELLS } from '../../backtest/pulse.js';
import { codePlace, failureWords, leadingPlace } from '../../strategy/host/failure-place.js';
import { strategyErrorText, type StrategyError } from '../../strategy/host/strategy-error.js';
import type { BegunBacktest } from '../backtest-command.js';
import type { BacktestOptions, Io } from '../command-options.js';
import { EXIT } from '../exit-code.js';
import { ENVIRONMENT_NAME } from '../secret-file.js';
import type { BacktestJob, BacktestNews } from '../thread/backtest-protocol.js';
import { HangWatch } from '../thread/hang-watch.js';

const ENTRY = new URL('./backtest-main.js', import.meta.url);
const HOOK_MS = 30_000;
const LOOK_MS = 50;
/** For what the strategy itself printed last. */
const FLUSH_MS = 200;
const MEGABYTE = 1_048_576;

/** A backtest on a thread of its own: one whose strategy does not return is ended, and so is it by a signal. */
export function backtestOnWorker(options: BacktestOptions, io: Io): Promise<number> {
  const thread = early ?? startThread();
  early = undefined;
  return new BacktestWorker(options, io, thread).run();
}

interface Thread {
  /** By it the inspector knows the thread. */
  readonly url: URL;
  readonly worker: Worker;
}

let early: Thread | undefined;

/** Loads the thread's modules while this one loads its own. It does not keep the process. */
export function startBacktestEarly(): void {
  early = startThread();
  early.worker.unref();
}

function startThread(): Thread {
  const url = new URL(`${ENTRY.href}?backtest`);
  const { [ENVIRONMENT_NAME]: _secret, ...env } = process.env;
  const maxOldGenerationSizeMb = Math.ceil(getHeapStatistics().heap_size_limit / MEGABYTE);
  const worker = new Worker(url, {
    env,
    // Standard output is for results alone.
    stdout: true,
    // No less than this thread has.
    resourceLimits: { maxOldGenerationSizeMb },
  });
  return { url, worker };
}

class BacktestWorker {
  readonly #options: BacktestOptions;
  readonly #io: Io;
  readonly #url: URL;
  readonly #pulse = new Float64Array(new SharedArrayBuffer(8 * PULSE_CELLS));
  readonly #worker: Worker;
  #begun: BegunBacktest | undefined;
  /** The reason of its end has been printed. */
  #over = false;
  #ended = false;

  constructor(options: BacktestOptions, io: Io, { url, worker }: Thread) {
    this.#options = options;
    this.#io = io;
    this.#url = url;
    this.#worker = worker;
    worker.ref();
    worker.stdout.on('data', (chunk: Buffer) => {
      io.stderr(chunk.toString());
    });
    const job: BacktestJob = { options, pulse: this.#pulse, isTerminal: io.isTerminal };
    worker.postMessage(job);
  }

  async run(): Promise<number> {
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => void resolve()));
    let looking: NodeJS.Timeout | undefined;
    let forget: (() => void) | undefined;
    try {
      return await new Promise<number>((resolve) => {
        this.#listen(resolve);
        forget = this.#io.onSignal((signal) => {
          resolve(this.#stopped(signal));
        });
        looking = this.#look(resolve);
      });
    } finally {
      clearInterval(looking);
      forget?.();
      const flushed = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      if (this.#ended) await Promise.race([exited, flushed]);
      await this.#worker.terminate();
    }
  }

  #listen(ended: (exitCode: number) => void): void {
    this.#worker.on('message', (news: BacktestNews) => {
      if (this.#over) return;
      if (news.kind === 'ended') ended(this.#end(news.exitCode));
      else if (news.kind === 'began') this.#begun = news.run;
      else this.#io[news.kind](news.text);
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      ended(this.#broke(deathText(error), codePlace(error)));
    });
    this.#worker.on('exit', (code) => {
      ended(this.#broke(`it ended the process with exit code ${code}`));
    });
  }

  #look(ended: (exitCode: number) => void): NodeJS.Timeout {
    const budgetMs = this.#options.hookTimeoutMs ?? HOOK_MS;
    const watch = new HangWatch(this.#pulse, budgetMs, LOOK_MS);
    return setInterval(() => {
      const { user, system } = process.cpuUsage();
      const cpuMs = (user + system) / 1_000;
      const used = watch.look({ realMs: this.#io.clock.monotonicMs(), cpuMs });
      if (used === undefined || this.#over) return;
      this.#over = true;
      const message = `${this.#hook} did not return within ${budgetMs / 1_000} s${used === 'computed' ? '' : ': it waits for something'}`;
      void this.#place().then((place) => {
        this.#over = false;
        ended(this.#broke(message, place === undefined ? undefined : leadingPlace(`${place}: `)));
      });
    }, LOOK_MS);
  }

  async #place(): Promise<string | undefined> {
    const { workerPlace } = await import('./worker-place.js');
    return workerPlace(this.#url.href);
  }

  /** By itself. */
  #end(exitCode: number): number {
    this.#ended = true;
    this.#over = true;
    return exitCode;
  }

  get #hook(): string {
    const phase = this.#pulse[PULSE.phase];
    if (phase === PHASE.load) return 'its file';
    return phase === PHASE.make ? 'create' : 'its code for this candle';
  }

  #stopped(signal: string): number {
    const done = this.#pulse[PULSE.candles] ?? 0;
    this.#io.stderr(`\nsluice: ${signal}: the backtest was stopped ${this.#doneText(done)}\n`);
    this.#over = true;
    return EXIT.failed;
  }

  /** The strategy has ended the run. Says so once. */
  #broke(message: string, place?: { readonly file: string; readonly line: number }): number {
    if (this.#over) return EXIT.failed;
    this.#over = true;
    const error = this.#errorOf(message, place);
    const { stdout, stderr } = this.#io;
    if (this.#options.json) stdout(`${JSON.stringify({ errors: [error] })}\n`);
    stderr(`error: ${strategyErrorText(error)}\n`);
    stderr(
      `sluice: the backtest was ended ${this.#doneText(this.#pulse[PULSE.candles] ?? 0)}. ` +
        'Look at the loop around that line; --hook-timeout allows more time\n',
    );
    return EXIT.failed;
  }

  #doneText(done: number): string {
    const of = this.#begun === undefined ? '' : ` of ${this.#begun.candles}`;
    return `at candle ${done}${of}; no result was written`;
  }

  #errorOf(message: string, place?: { readonly file: string; readonly line: number }) {
    const { symbols = [], strategy, interval = null } = this.#begun ?? {};
    const ran = (this.#pulse[PULSE.candles] ?? 0) > 0;
    const error: StrategyError = {
      strategy: strategy ?? this.#options.strategy ?? 'the strategy',
      message,
      file: place?.file ?? null,
      line: place?.line ?? null,
      candle: ran ? new Date(this.#pulse[PULSE.openTime] ?? 0).toISOString() : null,
      symbol: ran ? (symbols[this.#pulse[PULSE.symbol] ?? 0] ?? null) : null,
      interval: ran ? interval : null,
      count: 1,
    };
    return error;
  }
}

const deathText = (error: NodeJS.ErrnoException): string =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'it used up the memory: NODE_OPTIONS=--max-old-space-size=MEGABYTES allows more'
    : `what nobody caught ended its thread: ${failureWords(error)}`;
