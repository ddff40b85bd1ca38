import type { StrategyDefinition } from '../../../src/strategy/contract/definition.js';
import type { AdapterOpener } from '../../../src/strategy/host/strategy-host.js';
import type {
  WorkerResponse,
  WorkerRequest,
} from '../../../src/strategy/isolation/worker-messages.js';
import { WorkerStrategyHost } from '../../../src/strategy/isolation/worker-strategy-host.js';
import type {
  WorkerListener,
  WorkerTimeout,
  WorkerChannel,
} from '../../../src/strategy/isolation/worker-channel.js';
import {
  WorkerStrategyProxy,
  type WorkerFailure,
} from '../../../src/strategy/isolation/worker-strategy-proxy.js';

/** A strategy's thread without a thread: what is said is copied on the way, as threads copy it. */
export class InProcessWorkerChannel implements WorkerChannel {
  readonly #workerHost: WorkerStrategyHost;
  readonly requests: WorkerRequest[] = [];
  closed = false;
  /** Calls from this one on, from 1, are not answered. */
  unansweredFrom = Infinity;
  failureReason: WorkerTimeout['reason'] = 'late';
  listener: WorkerListener | undefined;

  constructor(definition: StrategyDefinition, params: unknown) {
    this.#workerHost = new WorkerStrategyHost(definition, params, (stray) =>
      this.listener?.onOutOfBandAction(stray),
    );
  }

  request(ask: WorkerRequest): WorkerResponse | WorkerTimeout {
    this.requests.push(ask);
    // The first makes it.
    if (this.requests.length > this.unansweredFrom) return { reason: this.failureReason };
    return structuredClone(this.#workerHost.handle(structuredClone(ask)));
  }
  listen(listener: WorkerListener): void {
    this.listener = listener;
  }
  close(): void {
    this.closed = true;
  }
}

/** Opens a strategy over a line, as the daemon does. */
export const adapterOverChannel =
  (
    channel: WorkerChannel,
    onFailed: (loss: WorkerFailure) => void = failOnWorkerFailure,
  ): AdapterOpener =>
  (settings, intentSink, streamEnd) =>
    new WorkerStrategyProxy({
      ...{ channel, settings, intentSink, streamEnd, onFailed },
      budgets: { makeMs: 30_000, hookMs: 2_000 },
    });

const failOnWorkerFailure = ({ call, reason }: WorkerFailure): never => {
  throw new Error(`call ${call} was lost: ${reason}`);
};
