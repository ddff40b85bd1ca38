import { assert } from '../../core/assert.js';
import {
  TransportError,
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type Net,
} from '../../core/ports.js';
import { authenticationHeaders, type Secret } from './secret.js';

/** The venue's Date header beside our clock: from these venue time is learnt (design part 4). */
export interface ServerDate {
  /** ms UTC, whole seconds. */
  readonly serverMs: number;
  /** Monotonic ms before sending and after the answer. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

export interface Call {
  readonly method: HttpRequest['method'];
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
  readonly timeoutMs: number;
}

export type CallResult =
  | { readonly kind: 'answer'; readonly response: HttpResponse }
  | { readonly kind: 'lost'; readonly cause: string; readonly sent: boolean };

export interface CallerOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly secret: Secret;
  readonly onServerDate?: (date: ServerDate) => void;
}

/** Sends one request once. Never throws for what the world does. */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** With the secret. */
  trading(call: Call): Promise<CallResult> {
    const isPublic = new URL(call.url).pathname.startsWith('/fapi/v1/price');
    assert(!isPublic, 'The secret never goes to a public path (interface, Authentication)');
    return this.#send(call, authenticationHeaders(this.#options.secret));
  }

  /** Public market data: without the secret. */
  public(call: Call): Promise<CallResult> {
    return this.#send(call, {});
  }

  async #send(call: Call, authentication: Record<string, string>): Promise<CallResult> {
    const { method, url, body, timeoutMs } = call;
    const headers = { ...authentication, accept: 'application/json', ...contentType(body) };
    const sentAt = this.#options.clock.monotonicMs();
    try {
      const response = await this.#options.net.request({
        method,
        url,
        headers,
        timeoutMs,
        ...(body === undefined ? {} : { body }),
      });
      this.#tellDate(response, sentAt);
      return { kind: 'answer', response };
    } catch (error) {
      // Anything but the port's own error proves nothing: it counts as sent.
      const sent = error instanceof TransportError ? error.sent : true;
      const message = error instanceof Error ? error.message : String(error);
      return { kind: 'lost', cause: this.#options.secret.redact(message), sent };
    }
  }

  #tellDate(response: HttpResponse, sentAt: number): void {
    const serverMs = Date.parse(response.headers['date'] ?? '');
    if (Number.isNaN(serverMs)) return;
    const receivedAt = this.#options.clock.monotonicMs();
    this.#options.onServerDate?.({ serverMs, sentAt, receivedAt });
  }
}

const contentType = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json' };
