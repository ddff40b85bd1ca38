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

/** What reached the venue, and how often each place did. */
export class RequestLog {
  /** A ring: the entry of a sequence number lies at its remainder. */
  readonly #ring: LoggedRequest[] = [];
  readonly #placesOf = new Map<string, number>();
  #sequence = 0;

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
  }

  /** How often the POST of a client order id was delivered. */
  placesOf(clientOrderId: string): number {
    return this.#placesOf.get(clientOrderId) ?? 0;
  }

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
}

function clientOrderIdOf(request: SandboxRequest): string | undefined {
  if (request.method !== 'POST') return undefined;
  const id = parseBody(request.body)?.['client_order_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
