import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { StrategyLoadError, StrategyNotFoundError, StrategyParamsError } from '../loader/loader.js';
import { SECRET_VARIABLE } from '../../core/secret-variable.js';
import { failureText } from '../host/failure-location.js';
import { terminalText } from '../../core/terminal-text.js';
import type { StrategyMetadata } from '../host/strategy-host.js';
import type { WorkerResponse, WorkerRequest } from './worker-messages.js';
import type { WorkerListener, WorkerTimeout, WorkerChannel } from './worker-channel.js';
import { SharedCompilation } from './shared-compilation.js';
import type { StartThread, StrategyThread, StrategyThreadSpec } from './strategy-thread.js';
import {
  WORKER_SIGNAL,
  type CompileReply,
  type LoadResult,
  type StrategyWorkerData,
  type WorkerMessage,
} from './strategy-worker-protocol.js';
import { locateHungWorker } from './worker-inspector.js';

export interface WorkerOptions {
  /** Compiled entry file of the worker. Default: `worker-main.js` beside this file. */
  readonly entry?: URL;
  /** Time limit of loading, ms. Default: 30 s. */
  readonly loadMs?: number;
  /** Heap limit, MB. Default: 512. */
  readonly memoryMb?: number;
}

const ENTRY = new URL('./worker-main.js', import.meta.url);
const LOAD_MS = 30_000;
const MEMORY_MB = 512;
/**
 * A wait is divided into slices: a pause of the whole process (a debugger, a suspended machine) uses up
 * one slice, not the budget.
 */
const WAIT_SLICES = 10;

/** Node's threads, one for each strategy. */
export function strategyWorkers(options: WorkerOptions = {}): StartThread {
  const compilation = new SharedCompilation();
  return (spec) => new StrategyWorker(spec, options, compilation).load();
}

let started = 0;

class StrategyWorker implements StrategyThread {
  readonly channel: WorkerChannel;
  readonly #worker: Worker;
  readonly #url: URL;
  readonly #signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #port;
  readonly #options: Required<Omit<WorkerOptions, 'entry'>>;
  readonly #compilation: SharedCompilation;
  #metadata: StrategyMetadata | undefined;
  #listener: WorkerListener | undefined;
  #onLoadResult: ((result: LoadResult) => void) | undefined;
  /** Why the thread ended, unless by `close`. */
  #exitReason: string | undefined;
  #hangLocation: Promise<string | undefined> | undefined;
  #closing: Promise<void> | undefined;

  constructor(spec: StrategyThreadSpec, options: WorkerOptions, compilation: SharedCompilation) {
    const { entry = ENTRY, loadMs = LOAD_MS, memoryMb = MEMORY_MB } = options;
    this.#options = { loadMs, memoryMb };
    this.#compilation = compilation;
    compilation.startLoading(this);
    this.channel = {
      request: (request, budgetMs) => this.#request(request, budgetMs),
      listen: (listener) => {
        this.#listener = listener;
      },
      close: () => {
        void this.close();
      },
    };
    // The inspector identifies a worker by its URL.
    this.#url = new URL(`${entry.href}?strategy=${(started += 1)}`);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: StrategyWorkerData = { ...spec, port: port2, signal: this.#signal };
    this.#worker = new Worker(this.#url, {
      workerData,
      transferList: [port2],
      env: environmentWithoutSecret(),
      // Standard output of the process is reserved for results.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) {
      // The strategy's output is untrusted text.
      stream.setEncoding('utf8').on('data', (text: string) => {
        process.stderr.write(terminalText(text, { marks: false }));
      });
    }
    this.#worker.unref();
    port1.unref();
    this.#worker.on('message', (message: WorkerMessage) => {
      this.#onMessage(message);
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#exitReason ??= this.#exitReasonText(error);
    });
    this.#worker.on('exit', (code) => {
      this.#onExit(`it ended its thread with exit code ${code}`);
    });
  }

  /** @throws StrategyLoadError, StrategyParamsError */
  async load(): Promise<this> {
    const { loadMs } = this.#options;
    let deadline: NodeJS.Timeout | undefined;
    const late = new Promise<LoadResult>((resolve) => {
      deadline = setTimeout(() => {
        this.#hangLocation ??= locateHungWorker(this.#url.href);
        void this.describeFailure().then((text) => {
          const message = `it was not loaded within ${loadMs / 1_000} s: ${text}`;
          resolve({ kind: 'not-loaded', message });
        });
      }, loadMs);
    });
    const loaded = new Promise<LoadResult>((resolve) => (this.#onLoadResult = resolve));
    try {
      const result = await Promise.race([loaded, late]);
      if (result.kind === 'loaded') this.#metadata = result.metadata;
      else throw loadError(result);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(deadline);
      this.#compilation.finishLoading(this);
    }
    return this;
  }

  get metadata(): StrategyMetadata {
    if (this.#metadata === undefined) throw new Error('a strategy has metadata once it is loaded');
    return this.#metadata;
  }

  #request(request: WorkerRequest, budgetMs: number): WorkerResponse | WorkerTimeout {
    const signal = this.#signal;
    if (this.#closing !== undefined) return { reason: 'gone' };
    const before = Atomics.compareExchange(
      signal,
      0,
      WORKER_SIGNAL.answered,
      WORKER_SIGNAL.waiting,
    );
    if (before !== WORKER_SIGNAL.answered) return { reason: 'gone' };
    this.#port.postMessage(request);
    for (let slice = 0; slice < WAIT_SLICES; slice++)
      if (Atomics.wait(signal, 0, WORKER_SIGNAL.waiting, budgetMs / WAIT_SLICES) !== 'timed-out')
        break;
    const state = Atomics.load(signal, 0);
    if (state === WORKER_SIGNAL.waiting) {
      this.#hangLocation ??= locateHungWorker(this.#url.href);
      return { reason: 'late' };
    }
    const response = receiveMessageOnPort(this.#port) as
      { readonly message: WorkerResponse } | undefined;
    return response?.message ?? { reason: 'gone' };
  }

  async describeFailure(): Promise<string | undefined> {
    const location = await this.#hangLocation;
    if (location !== undefined)
      return `${location}: here it was when it did not return: look at the loop around this line`;
    if (this.#exitReason !== undefined || this.#hangLocation === undefined) return this.#exitReason;
    return 'the line that it was in is not known: it waited for something outside of its code';
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#hangLocation;
    await this.#worker.terminate();
    this.#port.close();
  }

  #onMessage(message: WorkerMessage): void {
    switch (message.kind) {
      case 'stray':
        this.#listener?.onOutOfBandAction(message.action);
        return;
      case 'compile':
        this.#compilation.request(this, message.source, (code) => {
          this.#postCompiled({ ...(code !== undefined && { code }) });
        });
        return;
      case 'compiled':
        this.#compilation.complete(message.source, message.code);
        return;
      default:
        this.#onLoadResult?.(message);
    }
  }

  #postCompiled(compiled: CompileReply): void {
    this.#port.postMessage(compiled);
    Atomics.store(this.#signal, 0, WORKER_SIGNAL.answered);
    Atomics.notify(this.#signal, 0);
  }

  #onExit(text: string): void {
    this.#exitReason ??= this.#closing === undefined ? text : undefined;
    const reason = this.#exitReason;
    if (reason === undefined) return;
    this.#onLoadResult?.({ kind: 'not-loaded', message: reason });
    this.#listener?.onExit(reason);
  }

  #exitReasonText(error: NodeJS.ErrnoException): string {
    const { memoryMb } = this.#options;
    return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `it used up ${memoryMb} MB of memory`
      : `an uncaught error ended its thread: ${failureText(error)}`;
  }
}

/** A strategy never sees the secret. */
const environmentWithoutSecret = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== SECRET_VARIABLE));

function loadError(result: Exclude<LoadResult, { kind: 'loaded' }>): Error {
  if (result.kind === 'wrong-params')
    return new StrategyParamsError(result.strategy, result.issues);
  return result.kind === 'not-found'
    ? new StrategyNotFoundError(result.message)
    : new StrategyLoadError(result.message);
}
