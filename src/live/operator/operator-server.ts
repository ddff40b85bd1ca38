import type {
  Cancel,
  Clock,
  LocalConnection,
  LocalConnectionHandlers,
  Scheduler,
} from '../../core/ports.js';
import { LineBuffer } from './line-buffer.js';
import {
  errorLine,
  MAX_REQUEST_LENGTH,
  OperatorRequestError,
  parseRequest,
  resultLine,
  type OperatorRequest,
} from './operator-protocol.js';

/** A ninth client ends the connection that has been quiet for longest. */
const MAX_CONNECTIONS = 8;
/** Requests of one client that wait. One more ends its connection. */
const MAX_WAITING = 16;
/** Real ms between two replies to one client: a flood cannot keep the process busy. */
const REPLY_INTERVAL_MS = 20;
/** Real ms without a request after which a connection ends. */
const IDLE_MS = 60_000;
/** Bytes that a client has not read: more ends its connection. */
const MAX_PENDING_BYTES = 1_000_000;

export interface OperatorServerParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Scheduler;
  /** @throws OperatorRequestError */
  readonly answer: (request: OperatorRequest) => Promise<unknown>;
}

/**
 * The daemon's end of the operator channel. Everything that a client may use is bounded, so that no client
 * delays trading: connections, the length of a line, waiting requests, replies a second, unread bytes.
 */
export class OperatorServer {
  readonly #parts: OperatorServerParts;
  readonly #sessions = new Set<Session>();

  constructor(parts: OperatorServerParts) {
    this.#parts = parts;
  }

  accept(connection: LocalConnection): LocalConnectionHandlers {
    if (this.#sessions.size >= MAX_CONNECTIONS) this.#endQuietest();
    const session = new Session(connection, this.#parts);
    this.#sessions.add(session);
    return {
      onText: (text) => {
        session.onText(text);
      },
      onClose: () => {
        session.end();
        this.#sessions.delete(session);
      },
    };
  }

  #endQuietest(): void {
    const [quietest] = [...this.#sessions].sort((a, b) => a.lastRequestAt - b.lastRequestAt);
    if (quietest === undefined) return;
    this.#sessions.delete(quietest);
    quietest.refuse('busy', `${MAX_CONNECTIONS} newer connections are open`);
  }
}

/** One client. Its requests are answered one after another. */
class Session {
  readonly #connection: LocalConnection;
  readonly #parts: OperatorServerParts;
  readonly #lines = new LineBuffer(MAX_REQUEST_LENGTH);
  readonly #waiting: string[] = [];
  #isAnswering = false;
  #hasEnded = false;
  #idleTimer: Cancel = () => undefined;
  lastRequestAt: number;

  constructor(connection: LocalConnection, parts: OperatorServerParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.lastRequestAt = parts.clock.monotonicMs();
    this.#restartIdleTimer();
  }

  onText(text: string): void {
    if (this.#hasEnded) return;
    const lines = this.#lines.push(text);
    if (lines === undefined) {
      this.refuse('too-long', `a request has at most ${MAX_REQUEST_LENGTH} characters`);
      return;
    }
    if (lines.length === 0) return;
    this.lastRequestAt = this.#parts.clock.monotonicMs();
    this.#restartIdleTimer();
    if (this.#waiting.length + lines.length > MAX_WAITING) {
      this.refuse('busy', `at most ${MAX_WAITING} requests may wait`);
      return;
    }
    this.#waiting.push(...lines);
    if (!this.#isAnswering) void this.#answerAll();
  }

  /** Sends the reason, and ends the connection. */
  refuse(code: OperatorRequestError['code'], message: string): void {
    if (this.#hasEnded) return;
    this.#connection.send(errorLine(null, new OperatorRequestError(code, message)));
    this.#connection.close();
    this.end();
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiting.length = 0;
    this.#idleTimer();
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      this.#send(await this.#replyTo(line));
      await this.#pause();
    }
    this.#isAnswering = false;
  }

  async #replyTo(line: string): Promise<string> {
    const { id, request } = parseRequest(line);
    if (request instanceof OperatorRequestError) {
      if (request.code !== 'bad-json') return errorLine(id, request);
      this.refuse(request.code, request.message);
      return '';
    }
    try {
      return resultLine(id, await this.#parts.answer(request));
    } catch (error) {
      return errorLine(id, requestError(error));
    }
  }

  #send(text: string): void {
    if (this.#hasEnded) return;
    this.#connection.send(text);
    if (this.#connection.pendingBytes <= MAX_PENDING_BYTES) return;
    this.end();
    this.#connection.abort();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.scheduler.after(REPLY_INTERVAL_MS, resolve);
    });
  }

  #restartIdleTimer(): void {
    this.#idleTimer();
    this.#idleTimer = this.#parts.scheduler.after(IDLE_MS, () => {
      this.end();
      this.#connection.close();
    });
  }
}

const requestError = (error: unknown): OperatorRequestError =>
  error instanceof OperatorRequestError
    ? error
    : new OperatorRequestError('failed', error instanceof Error ? error.message : String(error));
