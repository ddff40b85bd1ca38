import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { SECRET_VARIABLE } from '../../../core/secret-variable.js';
import { PHASE, HEARTBEAT_CELL, HEARTBEAT_CELLS, STOP } from '../../../backtest/heartbeat.js';
import {
  sourceLocationOf,
  failureMessage,
  leadingLocation,
} from '../../../strategy/host/failure-location.js';
import { strategyErrorText, type StrategyError } from '../../../strategy/host/strategy-error.js';
import type { BacktestStartInfo } from './backtest-command.js';
import type { BacktestOptions } from './backtest-options.js';
import type { Io } from '../../command-io.js';
import { EXIT } from '../../../core/exit-code.js';
import type { BacktestJob, BacktestMessage } from './backtest-worker-protocol.js';
import { HangDetector } from '../../../backtest/hang-detector.js';
import { ProgressLine } from '../../../backtest/progress-line.js';
import { YOUNG_GENERATION_MB } from '../../../backtest/young-generation.js';

const ENTRY = new URL('./backtest-main.js', import.meta.url);
const HOOK_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 50;
/** Real ms from Ctrl-C until the strategy must return from the candle. */
const STOP_TIMEOUT_MS = 3_000;
/** Real ms to wait for the last output of the strategy. */
const FLUSH_MS = 200;
const MEGABYTE = 1_048_576;
const HANG_ADVICE = '. Check the loop at that line; --hook-timeout allows more time';

/** Runs a backtest on its own thread. Ends it on a signal, or when the strategy does not return. */
export function backtestOnWorker(options: BacktestOptions, io: Io): Promise<number> {
  const thread = prestarted ?? startThread();
  prestarted = undefined;
  return new BacktestWorker(options, io, thread).run();
}

interface WorkerHandle {
  /** The inspector finds the thread by this URL. */
  readonly url: URL;
  readonly worker: Worker;
}

let prestarted: WorkerHandle | undefined;

/** Loads the modules of the thread while the main thread loads its own. Does not keep the process alive. */
export function prestartBacktestWorker(): void {
  prestarted = startThread();
  prestarted.worker.unref();
}

function startThread(): WorkerHandle {
  const url = new URL(`${ENTRY.href}?backtest`);
  const { [SECRET_VARIABLE]: _secret, ...env } = process.env;
  const maxOldGenerationSizeMb = Math.ceil(getHeapStatistics().heap_size_limit / MEGABYTE);
  const worker = new Worker(url, {
    env,
    // Standard output is for results, so the output of a strategy goes to standard error.
    stdout: true,
    // The same heap limit as the main thread.
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  return { url, worker };
}

class BacktestWorker {
  readonly #options: BacktestOptions;
  readonly #io: Io;
  readonly #url: URL;
  readonly #heartbeat = new Float64Array(new SharedArrayBuffer(8 * HEARTBEAT_CELLS));
  readonly #worker: Worker;
  #startInfo: BacktestStartInfo | undefined;
  /** The reason of the end has been printed. */
  #hasReported = false;
  #hasEnded = false;
  /** The signal that asked for the end. */
  #stoppedBy: string | undefined;
  readonly #progress: ProgressLine;

  constructor(options: BacktestOptions, io: Io, { url, worker }: WorkerHandle) {
    this.#options = options;
    this.#io = io;
    this.#progress = new ProgressLine(io);
    this.#url = url;
    this.#worker = worker;
    worker.ref();
    worker.stdout.on('data', (chunk: Buffer) => {
      io.stderr(chunk.toString());
    });
    const { isTerminal, version } = io;
    const known = version !== undefined && { version };
    const job: BacktestJob = { options, heartbeat: this.#heartbeat, isTerminal, ...known };
    worker.postMessage(job);
  }

  async run(): Promise<number> {
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => void resolve()));
    let hangCheck: NodeJS.Timeout | undefined;
    let removeListener: (() => void) | undefined;
    try {
      return await new Promise<number>((resolve) => {
        this.#subscribe(resolve);
        removeListener = this.#io.onSignal((signal) => {
          this.#onSignal(signal, resolve);
        });
        hangCheck = this.#startHangCheck(resolve);
      });
    } finally {
      this.#progress.clear();
      clearInterval(hangCheck);
      removeListener?.();
      const flushed = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      if (this.#hasEnded) await Promise.race([exited, flushed]);
      await this.#worker.terminate();
      const { staging } = this.#startInfo ?? {};
      if (staging !== undefined) await this.#io.folders.remove(staging);
    }
  }

  #subscribe(ended: (exitCode: number) => void): void {
    this.#worker.on('message', (message: BacktestMessage) => {
      if (this.#hasReported) return;
      if (message.kind === 'ended') ended(this.#complete(message.exitCode));
      else if (message.kind === 'began') this.#startInfo = message.run;
      else {
        this.#progress.clear();
        this.#io[message.kind](message.text);
      }
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      ended(this.#fail(exitReasonText(error), sourceLocationOf(error)));
    });
    this.#worker.on('exit', (code) => {
      ended(this.#fail(`it ended the process with exit code ${code}`));
    });
  }

  #startHangCheck(ended: (exitCode: number) => void): NodeJS.Timeout {
    const budgetMs = this.#options.hookTimeoutMs ?? HOOK_TIMEOUT_MS;
    const detector = new HangDetector(this.#heartbeat, budgetMs, CHECK_INTERVAL_MS);
    return setInterval(() => {
      const { user, system } = process.cpuUsage();
      const cpuMs = (user + system) / 1_000;
      const cause = detector.check({ realMs: this.#io.clock.monotonicMs(), cpuMs });
      if (this.#startInfo !== undefined && this.#stoppedBy === undefined)
        this.#progress.show(this.#heartbeat, this.#startInfo.candles);
      if (cause === undefined || this.#hasReported) return;
      this.#hasReported = true;
      const message = `${this.#hungCode} did not return within ${budgetMs / 1_000} s${cause === 'computed' ? '' : ': it waits for something'}`;
      void this.#hangLocation().then((place) => {
        this.#hasReported = false;
        const location = place === undefined ? undefined : leadingLocation(`${place}: `);
        ended(this.#fail(message, location, HANG_ADVICE));
      });
    }, CHECK_INTERVAL_MS);
  }

  async #hangLocation(): Promise<string | undefined> {
    const { locateHungWorker } = await import('../../../strategy/isolation/worker-inspector.js');
    return locateHungWorker(this.#url.href);
  }

  /** The run ended by itself. */
  #complete(exitCode: number): number {
    this.#hasEnded = true;
    this.#hasReported = true;
    return exitCode;
  }

  get #hungCode(): string {
    const phase = this.#heartbeat[HEARTBEAT_CELL.phase];
    if (phase === PHASE.load) return 'its file';
    return phase === PHASE.make ? 'create' : 'its code for this candle';
  }

  /** The run ends before its next candle and keeps its results; a second signal, or no next candle, ends it at once. */
  #onSignal(signal: string, ended: (exitCode: number) => void): void {
    const isSecond = this.#stoppedBy !== undefined;
    this.#stoppedBy = signal;
    if (this.#startInfo === undefined || isSecond) {
      ended(this.#abandon(signal));
      return;
    }
    this.#heartbeat[HEARTBEAT_CELL.stop] = STOP;
    this.#progress.clear();
    this.#io.stderr(`\nsluice: ${signal}: the backtest stops, and its results so far are kept\n`);
    setTimeout(() => {
      const isRunning = this.#heartbeat[HEARTBEAT_CELL.phase] !== PHASE.own;
      if (isRunning && !this.#hasReported) ended(this.#abandon(signal));
    }, STOP_TIMEOUT_MS).unref();
  }

  #abandon(signal: string): number {
    const done = this.#heartbeat[HEARTBEAT_CELL.candles] ?? 0;
    this.#progress.clear();
    this.#io.stderr(`\nsluice: ${signal}: the backtest was stopped ${this.#doneText(done)}\n`);
    this.#hasReported = true;
    return EXIT.failed;
  }

  /** The strategy ended the run. Prints the failure once. */
  #fail(
    message: string,
    place?: { readonly file: string; readonly line: number },
    advice = '',
  ): number {
    if (this.#hasReported) return EXIT.failed;
    this.#hasReported = true;
    this.#progress.clear();
    const error = this.#errorOf(message, place);
    const { stdout, stderr } = this.#io;
    if (this.#options.json) stdout(`${JSON.stringify({ errors: [error] })}\n`);
    stderr(`error: ${strategyErrorText(error)}\n`);
    stderr(
      `sluice: the backtest was ended ${this.#doneText(this.#heartbeat[HEARTBEAT_CELL.candles] ?? 0)}${advice}\n`,
    );
    return EXIT.failed;
  }

  #doneText(done: number): string {
    const of = this.#startInfo === undefined ? '' : ` of ${this.#startInfo.candles}`;
    return `at candle ${done}${of}; no result was written`;
  }

  #errorOf(message: string, place?: { readonly file: string; readonly line: number }) {
    const { symbols = [], strategies = [], interval = null } = this.#startInfo ?? {};
    const market = this.#heartbeat[HEARTBEAT_CELL.symbol] ?? 0;
    const ran = (this.#heartbeat[HEARTBEAT_CELL.candles] ?? 0) > 0;
    const error: StrategyError = {
      strategy: strategies[market] ?? this.#options.strategy ?? 'the strategy',
      message,
      file: place?.file ?? null,
      line: place?.line ?? null,
      candle: ran ? new Date(this.#heartbeat[HEARTBEAT_CELL.openTime] ?? 0).toISOString() : null,
      symbol: ran ? (symbols[market] ?? null) : null,
      interval: ran ? interval : null,
      count: 1,
    };
    return error;
  }
}

const exitReasonText = (error: NodeJS.ErrnoException): string =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'it used up the memory: NODE_OPTIONS=--max-old-space-size=MEGABYTES allows more'
    : `an uncaught error ended its thread: ${failureMessage(error)}`;
