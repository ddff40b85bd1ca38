import type { VenueRequest } from '../../core/request.js';

/** A request on its way to the exchange. */
export interface Arrival {
  /** Venue ms. */
  readonly at: number;
  readonly requestId: number;
  readonly request: VenueRequest;
}

/** Requests that a latency delays: those that act. Reads are of no price. */
const DELAYED: ReadonlySet<VenueRequest['kind']> = new Set([
  'place',
  'cancel',
  'amend',
  'set-leg',
  'move-leg',
  'change-margin',
]);

/** The latency between the engine and the exchange: requests that act arrive after it, in their order. */
export class RequestDelay {
  readonly #latencyMs: number;
  readonly #arrivals: Arrival[] = [];

  /** @param latencyMs venue ms */
  constructor(latencyMs: number) {
    this.#latencyMs = latencyMs;
  }

  /** Venue ms of the next arrival; Infinity without one. */
  get nextAt(): number {
    return this.#arrivals[0]?.at ?? Infinity;
  }

  /** @returns false for a request that arrives at once, and is not kept */
  delay(requestId: number, request: VenueRequest, nowMs: number): boolean {
    if (this.#latencyMs === 0 || !DELAYED.has(request.kind)) return false;
    this.#arrivals.push({ at: nowMs + this.#latencyMs, requestId, request });
    return true;
  }

  /** @returns the next request that has arrived by then */
  takeArrived(nowMs: number): Arrival | undefined {
    return this.nextAt <= nowMs ? this.#arrivals.shift() : undefined;
  }
}
