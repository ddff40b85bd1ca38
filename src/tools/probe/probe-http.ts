import type { Clock, HttpRequest, Net, Scheduler } from '../../core/ports.js';
import { authenticationHeaders, type SecretSource } from '../../venue/futures-api/http/secret.js';

/** A response without interpretation. */
export interface ProbeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

export interface ProbeRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The secret to send. Public paths never get ours. */
  readonly key?: 'ours' | 'wrong' | 'none';
}

const TIMEOUT_MS = 10_000;
/** Eight requests a second: below the venue's limit of ten, with a reserve for other users of the key. */
const REQUEST_INTERVAL_MS = 125;
/** Prefix of the paths that need no secret. */
const PUBLIC_PATHS = '/fapi/v1/price/';
const WRONG_KEY = 'sluice-probe-wrong-key';

export interface ProbeHttpParts {
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly baseUrl: string;
  readonly secret: SecretSource;
  /** Real ms between two requests; absent: eight requests a second. */
  readonly intervalMs?: number;
  /** Sees each response before the caller. It may throw. */
  readonly check?: (path: string, response: ProbeResponse) => void;
}

/**
 * Sends requests and returns raw responses. The probe looks for deviations from the interface, and the
 * venue client would tolerate some of them.
 */
export class ProbeHttpClient {
  readonly #parts: ProbeHttpParts;
  /** Earliest time of the next request, monotonic ms. */
  #nextAt = 0;

  constructor(parts: ProbeHttpParts) {
    this.#parts = parts;
  }

  get(path: string, call: ProbeRequest = {}): Promise<ProbeResponse> {
    return this.send('GET', path, call);
  }

  /** Sends one request, at the allowed rate. @throws TransportError */
  async send(
    method: HttpRequest['method'],
    path: string,
    call: ProbeRequest = {},
  ): Promise<ProbeResponse> {
    await this.#waitForTurn();
    const { net, baseUrl } = this.#parts;
    const query = new URLSearchParams(call.query).toString();
    const response = await net.request({
      method,
      url: `${baseUrl}${path}${query === '' ? '' : `?${query}`}`,
      headers: {
        accept: 'application/json',
        ...(path.startsWith(PUBLIC_PATHS) ? {} : this.#key(call.key ?? 'ours')),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      timeoutMs: TIMEOUT_MS,
    });
    const { status, headers, body } = response;
    const answer = { status, headers, text: body, json: parseProbeJson(body) };
    this.#parts.check?.(path, answer);
    return answer;
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#parts.scheduler.after(delayMs, resolve));
  }

  #key(key: NonNullable<ProbeRequest['key']>): Record<string, string> {
    if (key === 'none') return {};
    return key === 'wrong'
      ? { 'x-authentication': WRONG_KEY }
      : authenticationHeaders(this.#parts.secret);
  }

  async #waitForTurn(): Promise<void> {
    const now = this.#parts.clock.monotonicMs();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + (this.#parts.intervalMs ?? REQUEST_INTERVAL_MS);
    if (at > now) await this.sleep(at - now);
  }
}

/** undefined when the text is not JSON. */
export function parseProbeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of keys and indices; undefined when there is none. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Readonly<Record<string | number, unknown>>)[key];
  }
  return current;
}

/** The array at a path; empty when there is none. */
export const rowsAt = (
  value: unknown,
  ...path: readonly (string | number)[]
): readonly unknown[] => {
  const rows = valueAt(value, ...path);
  return Array.isArray(rows) ? rows : [];
};

/** The text or number at a path, as text; undefined for any other value. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const field = valueAt(value, ...path);
  return typeof field === 'string' || typeof field === 'number' ? String(field) : undefined;
}

/** Status and the first 160 characters of the body, as evidence of a finding. */
export const responseText = ({ status, text }: ProbeResponse): string =>
  `${status} ${text.slice(0, 160)}`;
