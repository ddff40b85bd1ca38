import type { Clock, HttpRequest, Net, Scheduler } from '../../core/ports.js';
import { authenticationHeaders, type Secret } from '../../venue/futures-api/secret.js';

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed; undefined where it is no JSON. */
  readonly json: unknown;
}

export interface RawCall {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A secret that is sent instead of ours; never ours on public paths. */
  readonly key?: 'ours' | 'wrong' | 'none';
}

const TIMEOUT_MS = 10_000;
/** Eight a second: below the venue's ten, whatever else uses the key a little. */
const SPACING_MS = 125;
const PUBLIC = '/fapi/v1/price/';
const WRONG_KEY = 'sluice-probe-wrong-key';

/** Requests whose answers are looked at byte by byte: the client would read them too kindly. */
export class ProbeWire {
  readonly #parts: {
    readonly net: Net;
    readonly clock: Clock;
    readonly scheduler: Scheduler;
    readonly baseUrl: string;
    readonly secret: Secret;
  };
  #nextAt = 0;

  constructor(parts: {
    readonly net: Net;
    readonly clock: Clock;
    readonly scheduler: Scheduler;
    readonly baseUrl: string;
    readonly secret: Secret;
  }) {
    this.#parts = parts;
  }

  get(path: string, call: RawCall = {}): Promise<RawAnswer> {
    return this.send('GET', path, call);
  }

  /** One attempt, in its turn. @throws TransportError */
  async send(method: HttpRequest['method'], path: string, call: RawCall = {}): Promise<RawAnswer> {
    await this.#turn();
    const { net, baseUrl } = this.#parts;
    const query = new URLSearchParams(call.query).toString();
    const response = await net.request({
      method,
      url: `${baseUrl}${path}${query === '' ? '' : `?${query}`}`,
      headers: {
        accept: 'application/json',
        ...(path.startsWith(PUBLIC) ? {} : this.#key(call.key ?? 'ours')),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      timeoutMs: TIMEOUT_MS,
    });
    const { status, headers, body } = response;
    return { status, headers, text: body, json: parsed(body) };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#parts.scheduler.after(delayMs, resolve));
  }

  #key(key: NonNullable<RawCall['key']>): Record<string, string> {
    if (key === 'none') return {};
    return key === 'wrong'
      ? { 'x-authentication': WRONG_KEY }
      : authenticationHeaders(this.#parts.secret);
  }

  async #turn(): Promise<void> {
    const now = this.#parts.clock.monotonicMs();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + SPACING_MS;
    if (at > now) await this.sleep(at - now);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What lies under keys and indices, or undefined. */
export function under(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[key];
  }
  return at;
}

export const rowsUnder = (
  value: unknown,
  ...path: readonly (string | number)[]
): readonly unknown[] => {
  const rows = under(value, ...path);
  return Array.isArray(rows) ? rows : [];
};

/** A field as text: numbers by their shortest form. */
export function textUnder(
  value: unknown,
  ...path: readonly (string | number)[]
): string | undefined {
  const field = under(value, ...path);
  return typeof field === 'string' || typeof field === 'number' ? String(field) : undefined;
}

/** Short, for evidence. */
export const shownAnswer = ({ status, text }: RawAnswer): string =>
  `${status} ${text.slice(0, 160)}`;
