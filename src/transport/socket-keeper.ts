import { Observable, type Subscriber } from 'rxjs';
import type { Cancel, Clock, Net, Random, Scheduler, Socket } from '../core/ports.js';
import { backoffMs, type BackoffPolicy } from './backoff.js';
import type { ConnectionBudget } from './connection-budget.js';

export type SocketEvent =
  | {
      readonly kind: 'open';
      readonly send: (text: string) => void;
      /** Ends this connection; a new one follows. */
      readonly recycle: (reason: string) => void;
    }
  | { readonly kind: 'text'; readonly text: string }
  /** Also after an attempt that never opened. */
  | { readonly kind: 'closed'; readonly reason: string };

export interface KeepSocketOptions {
  readonly url: string;
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly connections: ConnectionBudget;
  /** Default 20 s: the peer closes after 40 s without a word from us (interface, Events). */
  readonly pingEveryMs?: number;
  /** Without any frame or pong for this long the peer is dead (hazard I21). Default 30 s. */
  readonly deadAfterMs?: number;
  /** Between attempts. Default 1 s doubling to 60 s, full jitter. */
  readonly backoff?: BackoffPolicy;
}

/**
 * One WebSocket's life: connects, keeps alive, notices a dead peer, connects again, for ever. Cold:
 * unsubscribing closes it, and nothing is emitted afterwards. Never errors or completes.
 */
export const keepSocket = (options: KeepSocketOptions): Observable<SocketEvent> =>
  new Observable((subscriber) => {
    const keeper = new SocketKeeper(options, subscriber);
    keeper.start();
    return () => keeper.stop();
  });

const DEFAULT_BACKOFF: BackoffPolicy = { baseMs: 1_000, maxMs: 60_000 };

class SocketKeeper {
  readonly #options: KeepSocketOptions;
  readonly #subscriber: Subscriber<SocketEvent>;
  readonly #pingEveryMs: number;
  readonly #deadAfterMs: number;
  /** Counts connections: what an earlier one still says is not heard. */
  #generation = 0;
  #failures = 0;
  #socket: Socket | undefined;
  #openedAt: number | undefined;
  #cancelPing: Cancel | undefined;
  #cancelDead: Cancel | undefined;
  #cancelRetry: Cancel | undefined;
  #stopped = false;

  constructor(options: KeepSocketOptions, subscriber: Subscriber<SocketEvent>) {
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
    this.#drop();
  }

  #connect(): void {
    const generation = ++this.#generation;
    const heard = (act: () => void): void => {
      if (generation === this.#generation) act();
    };
    this.#watch();
    try {
      const socket = this.#options.net.connect(this.#options.url, {
        onOpen: () => heard(() => this.#opened(generation)),
        onMessage: (text) => heard(() => this.#received(text)),
        onAlive: () => heard(() => this.#watch()),
        onClose: (reason) => heard(() => this.#ended(reason)),
      });
      if (generation === this.#generation) this.#socket = socket;
      else socket.close();
    } catch (error) {
      heard(() => this.#ended(`cannot connect: ${String(error)}`));
    }
  }

  #opened(generation: number): void {
    this.#openedAt = this.#options.clock.monotonicMs();
    this.#watch();
    this.#schedulePing();
    this.#subscriber.next({
      kind: 'open',
      send: (text) => {
        if (generation === this.#generation) this.#socket?.send(text);
      },
      recycle: (reason) => {
        if (generation === this.#generation) this.#ended(reason);
      },
    });
  }

  #received(text: string): void {
    this.#watch();
    this.#subscriber.next({ kind: 'text', text });
  }

  #schedulePing(): void {
    this.#cancelPing = this.#options.scheduler.after(this.#pingEveryMs, () => {
      this.#socket?.ping();
      this.#schedulePing();
    });
  }

  #watch(): void {
    this.#cancelDead?.();
    this.#cancelDead = this.#options.scheduler.after(this.#deadAfterMs, () => {
      this.#ended(`nothing was heard for ${this.#deadAfterMs} ms`);
    });
  }

  #ended(reason: string): void {
    const now = this.#options.clock.monotonicMs();
    const wasStable = this.#openedAt !== undefined && now - this.#openedAt >= this.#deadAfterMs;
    if (wasStable) this.#failures = 0;
    this.#drop();
    const { backoff, random, scheduler } = this.#options;
    const delayMs = backoffMs(this.#failures, backoff ?? DEFAULT_BACKOFF, random);
    this.#failures += 1;
    this.#cancelRetry = scheduler.after(delayMs, () => this.start());
    // Last: who hears it may unsubscribe.
    this.#subscriber.next({ kind: 'closed', reason });
  }

  #drop(): void {
    this.#generation += 1;
    this.#openedAt = undefined;
    this.#cancelPing?.();
    this.#cancelDead?.();
    this.#socket?.close();
    this.#socket = undefined;
  }
}
