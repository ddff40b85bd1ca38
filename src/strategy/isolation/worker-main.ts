import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import {
  loadStrategy,
  parseParams,
  StrategyLoadError,
  StrategyNotFoundError,
  StrategyParamsError,
} from '../loader/loader.js';
import type { StrategyDefinition } from '../contract/definition.js';
import { setCompiledCodeCache } from '../loader/loader-compiler.js';
import type { WorkerResponse, WorkerRequest } from './worker-messages.js';
import { WorkerStrategyHost } from './worker-strategy-host.js';
import {
  WORKER_SIGNAL,
  type CompileReply,
  type LoadResult,
  type StrategyWorkerData,
  type WorkerMessage,
} from './strategy-worker-protocol.js';

/** The worker thread of one strategy: loads it, then answers the calls of its host. */
const { use, configDir, params, port, signal } = workerData as StrategyWorkerData;

function postToHost(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

function setSignal(state: number): void {
  Atomics.store(signal, 0, state);
  Atomics.notify(signal, 0);
}

/** The compiled module of another thread; undefined: this thread must compile it. */
function requestCompiled(source: string): string | undefined {
  Atomics.store(signal, 0, WORKER_SIGNAL.compiling);
  postToHost({ kind: 'compile', source });
  Atomics.wait(signal, 0, WORKER_SIGNAL.compiling);
  return (receiveMessageOnPort(port) as { readonly message: CompileReply } | undefined)?.message
    .code;
}

async function load(): Promise<void> {
  setCompiledCodeCache({
    find: requestCompiled,
    store: (source, code) => {
      postToHost({ kind: 'compiled', source, code });
    },
  });
  const definition = await loadStrategy(use, { configDir });
  // From here on the engine's thread may wait for this one: a wait for its compiler would deadlock.
  setCompiledCodeCache(undefined);
  serveRequests(definition, parseParams(definition, params));
  const { name, streams } = definition;
  postToHost({ kind: 'loaded', metadata: { name, ...(streams !== undefined && { streams }) } });
}

function serveRequests(definition: StrategyDefinition, checked: unknown): void {
  const host = new WorkerStrategyHost(definition, checked, (action) => {
    postToHost({ kind: 'stray', action });
  });
  port.on('message', (request: WorkerRequest) => {
    const response = host.handle(request);
    try {
      port.postMessage(response);
    } catch (error) {
      // An intent holds a function, or another value that cannot be cloned.
      host.revert(response);
      port.postMessage(errorResponse(error));
    }
    setSignal(WORKER_SIGNAL.answered);
  });
}

const errorResponse = (error: unknown): WorkerResponse => ({
  actions: [],
  stateChanges: [],
  error: `RangeError: it asked for what is no plain data: ${error instanceof Error ? error.message : String(error)}`,
});

function loadFailure(error: unknown): LoadResult {
  if (error instanceof StrategyParamsError)
    return { kind: 'wrong-params', strategy: error.strategy, issues: error.issues };
  if (error instanceof StrategyNotFoundError) return { kind: 'not-found', message: error.message };
  if (error instanceof StrategyLoadError) return { kind: 'not-loaded', message: error.message };
  throw error;
}

process.on('exit', () => {
  setSignal(WORKER_SIGNAL.exited);
});
load().catch((error: unknown) => {
  postToHost(loadFailure(error));
});
