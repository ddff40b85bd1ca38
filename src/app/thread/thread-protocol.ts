import type { MessagePort } from 'node:worker_threads';
import type { ParamsIssue } from '../../strategy/params.js';
import type { StrategyFace } from '../../strategy/host/strategy-host.js';
import type { Stray } from '../../strategy/thread/call.js';
import type { ThreadJob } from './strategy-thread.js';

/** What a worker is started with. */
export interface WorkerJob extends ThreadJob {
  /** Calls come here, and answers go back. */
  readonly port: MessagePort;
  /** One cell: a call waits, was answered, or never will be. While it loads, the thread waits in it. */
  readonly signal: Int32Array;
}

export const SIGNAL = { answered: 0, waiting: 1, gone: 2, compiling: 3 } as const;

/** A module that a thread needs as JavaScript. */
export type CompileNews =
  /** It waits until it is told on its port what another thread has made of it: see `Compiled`. */
  | { readonly kind: 'compile'; readonly source: string }
  | { readonly kind: 'compiled'; readonly source: string; readonly code: string };

export interface Compiled {
  /** Absent: the thread that asked is to compile it. */
  readonly code?: string;
}

/** How its loading ended. */
export type LoadNews =
  | { readonly kind: 'loaded'; readonly face: StrategyFace }
  | { readonly kind: 'not-found' | 'not-loaded'; readonly message: string }
  | {
      readonly kind: 'wrong-params';
      readonly strategy: string;
      readonly issues: readonly ParamsIssue[];
    };

/** What a worker says without being called. */
export type WorkerNews = LoadNews | CompileNews | { readonly kind: 'stray'; readonly stray: Stray };
