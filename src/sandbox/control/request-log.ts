import { parseBody } from '../http/request-body.js';
import type { SandboxRequest } from '../http/http-message.js';

/** One HTTP request, as `GET /sandbox/requests` prints it. */
export interface LoggedRequest {
  readonly sequence: number;
  readonly venue_ms: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly client_order_id: string | null;
  /** Names of the faults applied to it. */
  readonly faults: readonly string[];
  /** Deliveries to the venue: 0 when the request was lost. */
  delivered: number;
  /** Status of the venue's answer to the last delivery; the caller may have received another, or none. */
  status: number | null;
}

const MAX_ENTRIES = 10_000;

/** Retention of delivery counts by client order id. */
export interface DeliveryRetention {
  /** Number of newest ids that are always retained. */
  readonly newest: number;
  /** Older ids are retained while the venue still has the order. */
  readonly isKnown: (clientOrderId: string) => boolean;
}

/** The last requests, and the number of deliveries per client order id. */
export class RequestLog {
  /** Ring buffer, indexed by sequence number modulo its length. */
  readonly #ring: LoggedRequest[] = [];
  /** Oldest id first. */
  readonly #deliveriesById = new Map<string, number>();
  readonly #retention: DeliveryRetention | undefined;
  #sequence = 0;
  /** Number of ids that starts the next pruning. */
  #pruneAt: number;

  /** @param retention unset: every id is retained */
  constructor(retention?: DeliveryRetention) {
    this.#retention = retention;
    this.#pruneAt = 2 * (retention?.newest ?? Infinity);
  }

  startEntry(request: SandboxRequest, venueMs: number, faults: readonly string[]): LoggedRequest {
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
    this.#ring[this.#sequence % MAX_ENTRIES] = entry;
    return entry;
  }

  /** Counts a delivery. Refused orders count too. */
  onDelivered(entry: LoggedRequest): void {
    entry.delivered += 1;
    const id = entry.client_order_id;
    if (entry.method !== 'POST' || id === null) return;
    this.#deliveriesById.set(id, this.deliveriesOf(id) + 1);
    if (this.#deliveriesById.size >= this.#pruneAt) this.#prune();
  }

  /** Deliveries of the POST with this client order id. */
  deliveriesOf(clientOrderId: string): number {
    return this.#deliveriesById.get(clientOrderId) ?? 0;
  }

  /** Deliveries by client order id; see `DeliveryRetention`. */
  deliveries(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#deliveriesById);
  }

  /** Oldest first; the last 10,000. */
  entries(): readonly LoggedRequest[] {
    return this.#ring.filter(Boolean).sort((a, b) => a.sequence - b.sequence);
  }

  get total(): number {
    return this.#sequence;
  }

  /** The next pruning waits until the size doubles, which keeps the cost per delivery constant. */
  #prune(): void {
    if (this.#retention === undefined) return;
    const { newest, isKnown } = this.#retention;
    let older = this.#deliveriesById.size - newest;
    for (const id of this.#deliveriesById.keys()) {
      if (older <= 0) break;
      older -= 1;
      if (!isKnown(id)) this.#deliveriesById.delete(id);
    }
    this.#pruneAt = this.#deliveriesById.size + Math.max(newest, this.#deliveriesById.size);
  }
}

function clientOrderIdOf(request: SandboxRequest): string | undefined {
  if (request.method !== 'POST') return undefined;
  const id = parseBody(request.body)?.['client_order_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
