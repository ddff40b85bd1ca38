import { Observable, type Subscriber } from 'rxjs';
import type { Cancel, Clock, Net, Random, Scheduler, Socket } from '../../core/ports.js';
import { backoffMs, type BackoffPolicy } from './backoff.js';
import type { ConnectionBudget } from './connection-budget.js';

export type SocketEvent =
  | {
      readonly kind: 'open';
      readonly send: (text: string) => void;
      /** Closes this connection and opens a new one. */
      readonly recycle: (reason: string) => void;
    }
  | { readonly kind: 'text'; readonly text: string }
  /** Also emitted after an attempt that never opened. */
  | { readonly kind: 'closed'; readonly reason: string };

export interface ReconnectingSocketOptions {
  readonly url: string;
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly connections: ConnectionBudget;
  /** Default 20 s: the venue closes after 40 s without a frame from the client (interface: Events). */
  readonly pingEveryMs?: number;
  /** A connection without any frame or pong for this long counts as dead (hazard I21). Default 30 s. */
  readonly deadAfterMs?: number;
  /** Wait between attempts. Default 1 s, doubling to 30 s, full jitter. */
  readonly backoff?: BackoffPolicy;
}

/**
 * A WebSocket that pings, detects a dead connection and reconnects without limit. Cold: unsubscribing
 * closes it, and nothing is emitted afterwards. It never errors or completes.
 */
export const reconnectingSocket = (options: ReconnectingSocketOptions): Observable<SocketEvent> =>
  new Observable((subscriber) => {
    const socket = new ReconnectingSocket(options, subscriber);
    socket.start();
    return () => socket.stop();
  });

/** Four attempts a minute in a long outage leave half of the budget of connections to other commands. */
const DEFAULT_BACKOFF: BackoffPolicy = { baseMs: 1_000, maxMs: 30_000 };

class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions;
  readonly #subscriber: Subscriber<SocketEvent>;
  readonly #pingEveryMs: number;
  readonly #deadAfterMs: number;
  /** Number of the current connection: late callbacks of an earlier one are ignored. */
  #generation = 0;
  #failures = 0;
  #socket: Socket | undefined;
  #openedAt: number | undefined;
  #cancelPing: Cancel | undefined;
  #cancelDead: Cancel | undefined;
  #cancelRetry: Cancel | undefined;
  #stopped = false;

  constructor(options: ReconnectingSocketOptions, subscriber: Subscriber<SocketEvent>) {
    this.#options = options;
    this.#subscriber = subscriber;
    this.#pingEveryMs = options.pingEveryMs ?? 20_000;
    this.#deadAfterMs = options.deadAfterMs ?? 30_000;
  }

  start(): void {
    void this.#options.connections.acquire().then(() => {
      if (!this.#stopped) this.#connect();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#tearDown();
  }

  #connect(): void {
    const generation = ++this.#generation;
    const ifCurrent = (handler: () => void): void => {
      if (generation === this.#generation) handler();
    };
    this.#restartDeadTimer();
    try {
      const socket = this.#options.net.connect(this.#options.url, {
        onOpen: () => ifCurrent(() => this.#onOpen(generation)),
        onMessage: (text) => ifCurrent(() => this.#onText(text)),
        onAlive: () => ifCurrent(() => this.#restartDeadTimer()),
        onClose: (reason) => ifCurrent(() => this.#onEnd(reason)),
      });
      if (generation === this.#generation) this.#socket = socket;
      else socket.close();
    } catch (error) {
      ifCurrent(() => this.#onEnd(`cannot connect: ${String(error)}`));
    }
  }

  #onOpen(generation: number): void {
    this.#openedAt = this.#options.clock.monotonicMs();
    this.#restartDeadTimer();
    this.#schedulePing();
    this.#subscriber.next({
      kind: 'open',
      send: (text) => {
        if (generation === this.#generation) this.#socket?.send(text);
      },
      recycle: (reason) => {
        if (generation === this.#generation) this.#onEnd(reason);
      },
    });
  }

  #onText(text: string): void {
    this.#restartDeadTimer();
    this.#subscriber.next({ kind: 'text', text });
  }

  #schedulePing(): void {
    this.#cancelPing = this.#options.scheduler.after(this.#pingEveryMs, () => {
      this.#socket?.ping();
      this.#schedulePing();
    });
  }

  #restartDeadTimer(): void {
    this.#cancelDead?.();
    this.#cancelDead = this.#options.scheduler.after(this.#deadAfterMs, () => {
      this.#onEnd(`nothing was heard for ${this.#deadAfterMs} ms`);
    });
  }

  #onEnd(reason: string): void {
    const now = this.#options.clock.monotonicMs();
    const wasStable = this.#openedAt !== undefined && now - this.#openedAt >= this.#deadAfterMs;
    if (wasStable) this.#failures = 0;
    this.#tearDown();
    const { backoff, random, scheduler } = this.#options;
    const delayMs = backoffMs(this.#failures, backoff ?? DEFAULT_BACKOFF, random);
    this.#failures += 1;
    this.#cancelRetry = scheduler.after(delayMs, () => this.start());
    // Last, because the subscriber may unsubscribe on it.
    this.#subscriber.next({ kind: 'closed', reason });
  }

  #tearDown(): void {
    this.#generation += 1;
    this.#openedAt = undefined;
    this.#cancelPing?.();
    this.#cancelDead?.();
    this.#socket?.close();
    this.#socket = undefined;
  }
}
