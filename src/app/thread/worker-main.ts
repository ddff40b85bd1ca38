import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import {
  loadStrategy,
  parseParams,
  StrategyLoadError,
  StrategyNotFoundError,
  StrategyParamsError,
} from '../../strategy/loader/loader.js';
import type { StrategyDefinition } from '../../strategy/definition.js';
import { shareCompiled } from '../../strategy/loader/loader-compiler.js';
import type { Answer, Ask } from '../../strategy/thread/call.js';
import { FarForm } from '../../strategy/thread/far-form.js';
import {
  SIGNAL,
  type Compiled,
  type LoadNews,
  type WorkerJob,
  type WorkerNews,
} from './thread-protocol.js';

/** The thread of one strategy: loads it, then answers the calls of its host. */
const { use, configDir, params, port, signal } = workerData as WorkerJob;

function tell(news: WorkerNews): void {
  parentPort?.postMessage(news);
}

function signalAs(state: number): void {
  Atomics.store(signal, 0, state);
  Atomics.notify(signal, 0);
}

/** What another thread has made of it, if it was asked for. */
function compiledElsewhere(source: string): string | undefined {
  Atomics.store(signal, 0, SIGNAL.compiling);
  tell({ kind: 'compile', source });
  Atomics.wait(signal, 0, SIGNAL.compiling);
  return (receiveMessageOnPort(port) as { readonly message: Compiled } | undefined)?.message.code;
}

async function load(): Promise<void> {
  shareCompiled({
    find: compiledElsewhere,
    made: (source, code) => {
      tell({ kind: 'compiled', source, code });
    },
  });
  const definition = await loadStrategy(use, { configDir });
  // From here on the other side may wait for this one: a wait for it would never end.
  shareCompiled(undefined);
  serve(definition, parseParams(definition, params));
  const { name, streams } = definition;
  tell({ kind: 'loaded', face: { name, ...(streams !== undefined && { streams }) } });
}

function serve(definition: StrategyDefinition, checked: unknown): void {
  const form = new FarForm(definition, checked, (stray) => {
    tell({ kind: 'stray', stray });
  });
  port.on('message', (ask: Ask) => {
    const answer = form.answer(ask);
    try {
      port.postMessage(answer);
    } catch (error) {
      // What it asked for holds a function, or the like.
      form.withdraw(answer);
      port.postMessage(refusal(error));
    }
    signalAs(SIGNAL.answered);
  });
}

const refusal = (error: unknown): Answer => ({
  acts: [],
  offers: [],
  threw: `RangeError: it asked for what is no plain data: ${error instanceof Error ? error.message : String(error)}`,
});

function newsOf(error: unknown): LoadNews {
  if (error instanceof StrategyParamsError)
    return { kind: 'wrong-params', strategy: error.strategy, issues: error.issues };
  if (error instanceof StrategyNotFoundError) return { kind: 'not-found', message: error.message };
  if (error instanceof StrategyLoadError) return { kind: 'not-loaded', message: error.message };
  throw error;
}

process.on('exit', () => {
  signalAs(SIGNAL.gone);
});
load().catch((error: unknown) => {
  tell(newsOf(error));
});
