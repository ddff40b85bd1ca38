import type { WorkerResponse, WorkerRequest, OutOfBandAction } from './worker-messages.js';

/** Connection to the worker of one strategy. */
export interface WorkerChannel {
  /** Waits for the response. After a timeout no request is answered again. */
  request(request: WorkerRequest, budgetMs: number): WorkerResponse | WorkerTimeout;
  /** Subscribes to messages outside of calls. */
  listen(listener: WorkerListener): void;
  /** No code of the strategy runs after it. */
  close(): void;
}

/** `late`: the call did not return; `gone`: the thread has ended. */
export interface WorkerTimeout {
  readonly reason: 'late' | 'gone';
}

export interface WorkerListener {
  onOutOfBandAction(action: OutOfBandAction): void;
  /** The thread has ended, and `close` was not the cause. */
  onExit(reason: string): void;
}
