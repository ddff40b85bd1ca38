import type { MessagePort } from 'node:worker_threads';
import type { ParamsIssue } from '../contract/params-error.js';
import type { StrategyMetadata } from '../host/strategy-host.js';
import type { OutOfBandAction } from './worker-messages.js';
import type { StrategyThreadSpec } from './strategy-thread.js';

/** `workerData` of a strategy's worker. */
export interface StrategyWorkerData extends StrategyThreadSpec {
  /** Port for requests and responses. */
  readonly port: MessagePort;
  /** One cell with a `WORKER_SIGNAL`: the engine waits on it for a response, the worker for compiled code. */
  readonly signal: Int32Array;
}

export const WORKER_SIGNAL = { answered: 0, waiting: 1, exited: 2, compiling: 3 } as const;

/** Messages about a module that a thread needs as JavaScript. */
export type CompileMessage =
  /** Requests the module; the thread waits for a `CompileReply` on its port. */
  | { readonly kind: 'compile'; readonly source: string }
  | { readonly kind: 'compiled'; readonly source: string; readonly code: string };

export interface CompileReply {
  /** Absent: the requesting thread must compile it. */
  readonly code?: string;
}

/** Result of loading the strategy. */
export type LoadResult =
  | { readonly kind: 'loaded'; readonly metadata: StrategyMetadata }
  | { readonly kind: 'not-found' | 'not-loaded'; readonly message: string }
  | {
      readonly kind: 'wrong-params';
      readonly strategy: string;
      readonly issues: readonly ParamsIssue[];
    };

/** Messages of a worker outside of calls. */
export type WorkerMessage =
  LoadResult | CompileMessage | { readonly kind: 'stray'; readonly action: OutOfBandAction };
