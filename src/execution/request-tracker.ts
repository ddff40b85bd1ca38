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

export interface TrackedRequest<K extends RequestKind> {
  readonly request: RequestOf<K>;
  readonly priority: Priority;
  /** Asked right before the request is sent; false withdraws it. */
  ready?(): boolean;
  onReply(outcome: ReplyTo<K>): void;
}

/** A request without a reply. It is kept as its sender made it: an order needs no closure of its own. */
interface PendingRequest {
  readonly request: VenueRequest;
  ready?(): boolean;
  onReply(outcome: Reply['outcome']): void;
}

/**
 * Requests that wait for a permit or a reply, and pending timers. Keys count up from 1, so that a
 * replay of the same events produces the same keys.
 */
export class RequestTracker {
  readonly #effects: EffectSink;
  readonly #stamp: Readonly<EventTime>;
  /** Requests without a reply, except the newest: most are answered before another one is asked for. */
  readonly #requests = new Map<number, PendingRequest>();
  #newest: PendingRequest | undefined;
  readonly #timers = new Map<string, () => void>();
  #lastRequest = 0;
  #lastTimer = 0;

  constructor(effects: EffectSink, stamp: Readonly<EventTime>) {
    this.#effects = effects;
    this.#stamp = stamp;
  }

  /** Requests without a reply. */
  get pending(): number {
    return this.#requests.size + (this.#newest === undefined ? 0 : 1);
  }

  get reportsOrders(): boolean {
    return this.#effects.reportsOrders === true;
  }

  enqueue<K extends RequestKind>(tracked: TrackedRequest<K>): void {
    if (this.#newest !== undefined) this.#requests.set(this.#lastRequest, this.#newest);
    const id = ++this.#lastRequest;
    // `onReply` asserts that the reply is of the request's kind.
    this.#newest = tracked as unknown as PendingRequest;
    this.#effects.requestPermit(id, tracked.request, tracked.priority);
  }

  onPermitGranted(requestId: number): void {
    const pending = this.#find(requestId);
    if (pending === undefined) return;
    if (pending.ready?.() ?? true) this.#effects.send(requestId, pending.request);
    else this.#remove(requestId);
  }

  onReply(requestId: number, reply: Reply): void {
    const pending = this.#find(requestId);
    assert(pending !== undefined, 'A reply answers a request that was sent');
    assert(reply.to === pending.request.kind, 'A reply answers the kind of request that was sent');
    this.#remove(requestId);
    pending.onReply(reply.outcome);
  }

  #find(requestId: number): PendingRequest | undefined {
    return requestId === this.#lastRequest ? this.#newest : this.#requests.get(requestId);
  }

  #remove(requestId: number): void {
    if (requestId === this.#lastRequest) this.#newest = undefined;
    else this.#requests.delete(requestId);
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
