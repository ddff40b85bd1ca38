import { assert } from '../core/assert.js';
import type { EventTime } from '../core/events.js';
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
  /** Asked right before the request is sent; false withdraws it. */
  readonly ready: () => boolean;
  readonly onReply: (reply: Reply) => void;
}

export interface TrackedRequest<K extends RequestKind> {
  readonly request: RequestOf<K>;
  readonly priority: Priority;
  readonly ready?: () => boolean;
  readonly onReply: (outcome: ReplyTo<K>) => void;
}

/**
 * Requests that wait for a permit or a reply, and pending timers. Keys count up from 1, so that a
 * replay of the same events produces the same keys.
 */
export class RequestTracker {
  readonly #effects: EffectSink;
  readonly #stamp: Readonly<EventTime>;
  readonly #requests = new Map<number, PendingRequest>();
  readonly #timers = new Map<string, () => void>();
  #lastRequest = 0;
  #lastTimer = 0;

  constructor(effects: EffectSink, stamp: Readonly<EventTime>) {
    this.#effects = effects;
    this.#stamp = stamp;
  }

  /** Requests without a reply. */
  get pending(): number {
    return this.#requests.size;
  }

  enqueue<K extends RequestKind>(tracked: TrackedRequest<K>): void {
    const { request, priority } = tracked;
    const id = ++this.#lastRequest;
    this.#requests.set(id, {
      request,
      ready: tracked.ready ?? always,
      onReply: (reply) => {
        assert(reply.to === request.kind, 'A reply answers the kind of request that was sent');
        tracked.onReply(reply.outcome as ReplyTo<K>);
      },
    });
    this.#effects.requestPermit(id, request, priority);
  }

  onPermitGranted(requestId: number): void {
    const pending = this.#requests.get(requestId);
    if (pending === undefined) return;
    if (pending.ready()) this.#effects.send(requestId, pending.request);
    else this.#requests.delete(requestId);
  }

  onReply(requestId: number, reply: Reply): void {
    const pending = this.#requests.get(requestId);
    assert(pending !== undefined, 'A reply answers a request that was sent');
    this.#requests.delete(requestId);
    pending.onReply(reply);
  }

  /** Runs `run` once, `delayMs` of monotonic time later. @returns the key for `cancelTimer` */
  after(delayMs: number, run: () => void): string {
    return this.#arm('monotonic', this.#stamp.monotonic + delayMs, run);
  }

  /** Runs `run` once, at a venue time in ms UTC. */
  atVenueTime(venueTime: number, run: () => void): string {
    return this.#arm('venue', venueTime, run);
  }

  cancelTimer(timerKey: string | undefined): void {
    if (timerKey !== undefined) this.#timers.delete(timerKey);
  }

  onTimer(timerKey: string): void {
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
