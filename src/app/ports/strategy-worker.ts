import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import {
  StrategyLoadError,
  StrategyNotFoundError,
  StrategyParamsError,
} from '../../strategy/loader/loader.js';
import { failureText } from '../../strategy/host/failure-place.js';
import { terminalText } from '../../core/terminal-text.js';
import type { StrategyFace } from '../../strategy/host/strategy-host.js';
import type { Answer, Ask } from '../../strategy/thread/call.js';
import type { LineListener, Silence, StrategyLine } from '../../strategy/thread/strategy-line.js';
import { ENVIRONMENT_NAME } from '../secret-file.js';
import { SharedCompilation } from '../thread/shared-compilation.js';
import type { StartThread, StrategyThread, ThreadJob } from '../thread/strategy-thread.js';
import {
  SIGNAL,
  type Compiled,
  type LoadNews,
  type WorkerJob,
  type WorkerNews,
} from '../thread/thread-protocol.js';
import { workerPlace } from './worker-place.js';

export interface WorkerOptions {
  /** Compiled. Default: the one beside this. */
  readonly entry?: URL;
  /** Default: 30 s. */
  readonly loadMs?: number;
  /** Of its heap. Default: 512. */
  readonly memoryMb?: number;
}

const ENTRY = new URL('../thread/worker-main.js', import.meta.url);
const LOAD_MS = 30_000;
const MEMORY_MB = 512;
/**
 * A wait counts in slices: when the whole process was stopped (a debugger, a suspended machine), that
 * takes one of them and not the budget.
 */
const SLICES = 10;

/** Node's threads, one for each strategy. */
export function strategyWorkers(options: WorkerOptions = {}): StartThread {
  const compilation = new SharedCompilation();
  return (job) => new StrategyWorker(job, options, compilation).load();
}

let started = 0;

class StrategyWorker implements StrategyThread {
  readonly line: StrategyLine;
  readonly #worker: Worker;
  readonly #url: URL;
  readonly #signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #port;
  readonly #options: Required<Omit<WorkerOptions, 'entry'>>;
  readonly #compilation: SharedCompilation;
  #face: StrategyFace | undefined;
  #listener: LineListener | undefined;
  #onLoad: ((news: LoadNews) => void) | undefined;
  /** What ended it, beside ourselves. */
  #death: string | undefined;
  #place: Promise<string | undefined> | undefined;
  #closing: Promise<void> | undefined;

  constructor(job: ThreadJob, options: WorkerOptions, compilation: SharedCompilation) {
    const { entry = ENTRY, loadMs = LOAD_MS, memoryMb = MEMORY_MB } = options;
    this.#options = { loadMs, memoryMb };
    this.#compilation = compilation;
    compilation.began(this);
    this.line = {
      ask: (ask, budgetMs) => this.#ask(ask, budgetMs),
      listen: (listener) => {
        this.#listener = listener;
      },
      close: () => {
        void this.close();
      },
    };
    // Each has an address of its own: by it the inspector knows which is which.
    this.#url = new URL(`${entry.href}?strategy=${(started += 1)}`);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: WorkerJob = { ...job, port: port2, signal: this.#signal };
    this.#worker = new Worker(this.#url, {
      workerData,
      transferList: [port2],
      env: openEnvironment(),
      // Standard output is for results alone.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) {
      // The output of its code is text from outside too.
      stream.setEncoding('utf8').on('data', (text: string) => {
        process.stderr.write(terminalText(text, { marks: false }));
      });
    }
    this.#worker.unref();
    port1.unref();
    this.#worker.on('message', (news: WorkerNews) => {
      this.#hear(news);
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#death ??= this.#deathText(error);
    });
    this.#worker.on('exit', (code) => {
      this.#ended(`it ended its thread with exit code ${code}`);
    });
  }

  /** @throws StrategyLoadError, StrategyParamsError */
  async load(): Promise<this> {
    const { loadMs } = this.#options;
    let deadline: NodeJS.Timeout | undefined;
    const late = new Promise<LoadNews>((resolve) => {
      deadline = setTimeout(() => {
        this.#place ??= workerPlace(this.#url.href);
        void this.autopsy().then((text) => {
          const message = `it was not loaded within ${loadMs / 1_000} s: ${text}`;
          resolve({ kind: 'not-loaded', message });
        });
      }, loadMs);
    });
    const loaded = new Promise<LoadNews>((resolve) => (this.#onLoad = resolve));
    try {
      const news = await Promise.race([loaded, late]);
      if (news.kind === 'loaded') this.#face = news.face;
      else throw loadError(news);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(deadline);
      this.#compilation.ended(this);
    }
    return this;
  }

  get face(): StrategyFace {
    if (this.#face === undefined) throw new Error('a strategy has a face when it is loaded');
    return this.#face;
  }

  #ask(ask: Ask, budgetMs: number): Answer | Silence {
    const signal = this.#signal;
    if (this.#closing !== undefined) return { silence: 'gone' };
    const before = Atomics.compareExchange(signal, 0, SIGNAL.answered, SIGNAL.waiting);
    if (before !== SIGNAL.answered) return { silence: 'gone' };
    this.#port.postMessage(ask);
    for (let slice = 0; slice < SLICES; slice++)
      if (Atomics.wait(signal, 0, SIGNAL.waiting, budgetMs / SLICES) !== 'timed-out') break;
    const state = Atomics.load(signal, 0);
    if (state === SIGNAL.waiting) {
      this.#place ??= workerPlace(this.#url.href);
      return { silence: 'late' };
    }
    const answer = receiveMessageOnPort(this.#port) as { readonly message: Answer } | undefined;
    return answer?.message ?? { silence: 'gone' };
  }

  async autopsy(): Promise<string | undefined> {
    const place = await this.#place;
    if (place !== undefined)
      return `${place}: here it was when it did not return: look at the loop around this line`;
    if (this.#death !== undefined || this.#place === undefined) return this.#death;
    return 'the line that it was in is not known: it waited for something outside of its code';
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#place;
    await this.#worker.terminate();
    this.#port.close();
  }

  #hear(news: WorkerNews): void {
    switch (news.kind) {
      case 'stray':
        this.#listener?.strayed(news.stray);
        return;
      case 'compile':
        this.#compilation.ask(this, news.source, (code) => {
          this.#tellCompiled({ ...(code !== undefined && { code }) });
        });
        return;
      case 'compiled':
        this.#compilation.made(news.source, news.code);
        return;
      default:
        this.#onLoad?.(news);
    }
  }

  #tellCompiled(compiled: Compiled): void {
    this.#port.postMessage(compiled);
    Atomics.store(this.#signal, 0, SIGNAL.answered);
    Atomics.notify(this.#signal, 0);
  }

  #ended(text: string): void {
    this.#death ??= this.#closing === undefined ? text : undefined;
    const reason = this.#death;
    if (reason === undefined) return;
    this.#onLoad?.({ kind: 'not-loaded', message: reason });
    this.#listener?.gone(reason);
  }

  #deathText(error: NodeJS.ErrnoException): string {
    const { memoryMb } = this.#options;
    return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `it used up ${memoryMb} MB of memory`
      : `what nobody caught ended its thread: ${failureText(error)}`;
  }
}

/** A strategy never sees the secret. */
const openEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== ENVIRONMENT_NAME));

function loadError(news: Exclude<LoadNews, { kind: 'loaded' }>): Error {
  if (news.kind === 'wrong-params') return new StrategyParamsError(news.strategy, news.issues);
  return news.kind === 'not-found'
    ? new StrategyNotFoundError(news.message)
    : new StrategyLoadError(news.message);
}
