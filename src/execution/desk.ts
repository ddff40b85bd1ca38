import { assert } from '../core/assert.js';
import type { Stamp } from '../core/events.js';
import type {
  Priority,
  Reply,
  ReplyTo,
  RequestKind,
  RequestOf,
  VenueRequest,
} from '../core/request.js';
import type { EffectSink, TimerClock } from './effects.js';

interface PendingRequest {
  readonly request: VenueRequest;
  /** Last look before the bytes leave; false withdraws the request. */
  readonly ready: () => boolean;
  readonly answered: (reply: Reply) => void;
}

export interface Ask<K extends RequestKind> {
  readonly request: RequestOf<K>;
  readonly priority: Priority;
  readonly ready?: () => boolean;
  readonly answered: (outcome: ReplyTo<K>) => void;
}

/**
 * Requests that wait for a slot or an answer, and timers that wait for their time. Keys count up from
 * 1, so that a replay of the same events meets the same keys.
 */
export class Desk {
  readonly #effects: EffectSink;
  readonly #stamp: Readonly<Stamp>;
  readonly #requests = new Map<number, PendingRequest>();
  readonly #timers = new Map<string, () => void>();
  #lastRequest = 0;
  #lastTimer = 0;

  constructor(effects: EffectSink, stamp: Readonly<Stamp>) {
    this.#effects = effects;
    this.#stamp = stamp;
  }

  /** Requests without an answer yet. */
  get pending(): number {
    return this.#requests.size;
  }

  ask<K extends RequestKind>(ask: Ask<K>): void {
    const id = ++this.#lastRequest;
    this.#requests.set(id, {
      request: ask.request,
      ready: ask.ready ?? always,
      answered: (reply) => {
        assert(reply.to === ask.request.kind, 'A reply answers the kind of request that was sent');
        ask.answered(reply.outcome as ReplyTo<K>);
      },
    });
    this.#effects.slot(id, ask.request, ask.priority);
  }

  slot(requestId: number): void {
    const pending = this.#requests.get(requestId);
    if (pending === undefined) return;
    if (pending.ready()) this.#effects.send(requestId, pending.request);
    else this.#requests.delete(requestId);
  }

  reply(requestId: number, reply: Reply): void {
    const pending = this.#requests.get(requestId);
    assert(pending !== undefined, 'A reply answers a request that was sent');
    this.#requests.delete(requestId);
    pending.answered(reply);
  }

  /** Runs once after `delayMs` of monotonic time. Returns the key for `cancel`. */
  after(delayMs: number, run: () => void): string {
    return this.#arm('monotonic', this.#stamp.monotonic + delayMs, run);
  }

  /** Runs once at a venue time. */
  atVenueTime(venueTime: number, run: () => void): string {
    return this.#arm('venue', venueTime, run);
  }

  cancel(timerKey: string | undefined): void {
    if (timerKey !== undefined) this.#timers.delete(timerKey);
  }

  fire(timerKey: string): void {
    const run = this.#timers.get(timerKey);
    if (run === undefined) return;
    this.#timers.delete(timerKey);
    run();
  }

  #arm(clock: TimerClock, at: number, run: () => void): string {
    const key = `t${++this.#lastTimer}`;
    this.#timers.set(key, run);
    this.#effects.timer(clock, at, key);
    return key;
  }
}

const always = (): boolean => true;
