import { parseBody } from './request-body.js';
import type { SandboxRequest } from './http-message.js';

/** One HTTP request as it went, for `GET /sandbox/requests`. */
export interface LoggedRequest {
  readonly sequence: number;
  readonly venue_ms: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly client_order_id: string | null;
  /** Names of the faults that struck it. */
  readonly faults: readonly string[];
  /** How often it reached the venue: 0 when it was lost on the way. */
  delivered: number;
  /** The venue's own answer to its last delivery; the caller may have seen another, or none. */
  status: number | null;
}

const KEPT = 10_000;

/** How long the number of deliveries of a client order id is remembered. */
export interface PlacesRetention {
  /** So many ids at least, the newest. */
  readonly newest: number;
  /** Beyond them those of orders that the venue still knows. */
  readonly isKnown: (clientOrderId: string) => boolean;
}

/** What reached the venue, and how often each place did. */
export class RequestLog {
  /** A ring: the entry of a sequence number lies at its remainder. */
  readonly #ring: LoggedRequest[] = [];
  /** Oldest id first. */
  readonly #placesOf = new Map<string, number>();
  readonly #retention: PlacesRetention | undefined;
  #sequence = 0;
  /** So many ids make it worth looking which can go. */
  #sweepAt: number;

  /** @param retention unset: of every id, for ever */
  constructor(retention?: PlacesRetention) {
    this.#retention = retention;
    this.#sweepAt = 2 * (retention?.newest ?? Infinity);
  }

  begin(request: SandboxRequest, venueMs: number, faults: readonly string[]): LoggedRequest {
    this.#sequence += 1;
    const entry: LoggedRequest = {
      sequence: this.#sequence,
      venue_ms: venueMs,
      method: request.method,
      path: request.path,
      query: request.query,
      client_order_id: clientOrderIdOf(request) ?? null,
      faults,
      delivered: 0,
      status: null,
    };
    this.#ring[this.#sequence % KEPT] = entry;
    return entry;
  }

  /** The request reached the venue once more. Refused places count too. */
  delivered(entry: LoggedRequest): void {
    entry.delivered += 1;
    const id = entry.client_order_id;
    if (entry.method !== 'POST' || id === null) return;
    this.#placesOf.set(id, this.placesOf(id) + 1);
    if (this.#placesOf.size >= this.#sweepAt) this.#sweep();
  }

  /** How often the POST of a client order id was delivered. */
  placesOf(clientOrderId: string): number {
    return this.#placesOf.get(clientOrderId) ?? 0;
  }

  /** By client order id; see `PlacesRetention`. */
  places(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#placesOf);
  }

  /** Oldest first; the last 10,000. */
  entries(): readonly LoggedRequest[] {
    return this.#ring.filter(Boolean).sort((a, b) => a.sequence - b.sequence);
  }

  get total(): number {
    return this.#sequence;
  }

  /** The next one is due when as many have come again: each delivery pays the same share. */
  #sweep(): void {
    if (this.#retention === undefined) return;
    const { newest, isKnown } = this.#retention;
    let older = this.#placesOf.size - newest;
    for (const id of this.#placesOf.keys()) {
      if (older <= 0) break;
      older -= 1;
      if (!isKnown(id)) this.#placesOf.delete(id);
    }
    this.#sweepAt = this.#placesOf.size + Math.max(newest, this.#placesOf.size);
  }
}

function clientOrderIdOf(request: SandboxRequest): string | undefined {
  if (request.method !== 'POST') return undefined;
  const id = parseBody(request.body)?.['client_order_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
