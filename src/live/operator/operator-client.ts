import {
  LocalSocketError,
  type LocalConnection,
  type LocalSockets,
  type Scheduler,
} from '../../core/ports.js';
import type { StatusReport } from '../status/status-report.js';
import {
  OperatorRequestError,
  parseReply,
  requestLine,
  type OperatorRequest,
} from './operator-protocol.js';
import { LineBuffer } from './line-buffer.js';

/** Characters of a reply: a status with a thousand orders has about 300,000. */
const MAX_REPLY_LENGTH = 50_000_000;

/** The daemon did not answer in time, or ended the connection. */
export class OperatorTimeoutError extends Error {
  override readonly name = 'OperatorTimeoutError';
}

export interface OperatorClientParts {
  readonly sockets: LocalSockets;
  readonly scheduler: Scheduler;
}

interface PendingRequest {
  readonly resolve: (report: StatusReport) => void;
  readonly reject: (error: Error) => void;
}

/** A connection to the daemon of a state folder. */
export class OperatorClient {
  readonly #scheduler: Scheduler;
  readonly #lines = new LineBuffer(MAX_REPLY_LENGTH);
  readonly #pending = new Map<number, PendingRequest>();
  #connection: LocalConnection | undefined;
  #requests = 0;
  #isClosed = false;

  private constructor({ scheduler }: OperatorClientParts) {
    this.#scheduler = scheduler;
  }

  /** @returns undefined: no daemon listens. @throws LocalSocketError */
  static async connect(
    path: string,
    parts: OperatorClientParts,
  ): Promise<OperatorClient | undefined> {
    const client = new OperatorClient(parts);
    try {
      client.#connection = await parts.sockets.connect(path, {
        onText: (text) => {
          client.#onText(text);
        },
        onClose: () => {
          client.#onClose();
        },
      });
      return client;
    } catch (error) {
      if (error instanceof LocalSocketError && error.reason === 'absent') return undefined;
      throw error;
    }
  }

  /** The daemon is gone, or has ended the connection. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws OperatorRequestError, OperatorTimeoutError */
  request(asked: OperatorRequest, timeoutMs: number): Promise<StatusReport> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new OperatorTimeoutError('the daemon has ended the connection'));
        return;
      }
      const cancelTimeout = this.#scheduler.after(timeoutMs, () => {
        this.#pending.delete(id);
        reject(new OperatorTimeoutError(`the daemon has not answered for ${timeoutMs / 1_000} s`));
      });
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          cancelTimeout();
          this.#pending.delete(id);
          then(value);
        };
      this.#pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#connection?.send(requestLine(id, asked));
    });
  }

  close(): void {
    this.#connection?.close();
  }

  #onText(text: string): void {
    const lines = this.#lines.push(text);
    if (lines === undefined) {
      this.#connection?.abort();
      return;
    }
    for (const line of lines) this.#onLine(line);
  }

  #onLine(line: string): void {
    const reply = parseReply(line);
    if (reply === undefined) return;
    if (!reply.ok) {
      const error = new OperatorRequestError(reply.error.code, reply.error.message);
      // Without an id the daemon ends the connection: every request has failed.
      const failed =
        typeof reply.id === 'number' ? [this.#pending.get(reply.id)] : [...this.#pending.values()];
      for (const each of failed) each?.reject(error);
      return;
    }
    if (typeof reply.id === 'number')
      this.#pending.get(reply.id)?.resolve(reply.result as StatusReport);
  }

  #onClose(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#pending.values()])
      reject(new OperatorTimeoutError('the daemon has ended the connection'));
  }
}
