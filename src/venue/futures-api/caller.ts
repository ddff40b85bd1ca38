import { assert } from '../../core/assert.js';
import {
  TransportError,
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type Net,
} from '../../core/ports.js';
import { authenticationHeaders, type SecretSource } from './secret.js';

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
  readonly secret: SecretSource;
  /** Scheme, host and port that the secret may go to. */
  readonly origin: string;
  readonly onServerDate?: (date: ServerDate) => void;
  /**
   * Told when the venue refuses the secret (401), and when it accepts it again or for the first
   * time: only changes.
   */
  readonly onAuthentication?: (accepted: boolean) => void;
}

const UNAUTHORIZED = 401;
/** Paths that the secret may go to (interface, Authentication). */
const TRADING_PATH = /^\/fapi\/(?:v1\/(?:futures|wallet)|v2\/futures)(?:\/|$)/;

/** Sends one request once. Never throws for what the world does. */
export class Caller {
  readonly #options: CallerOptions;
  #accepted: boolean | undefined;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /**
   * With the secret, which goes to the trading paths of the configured origin and nowhere else.
   * @throws AssertionError for any other address; nothing was sent then
   */
  async trading(call: Call): Promise<CallResult> {
    const { origin, pathname } = new URL(call.url);
    const isTrading = origin === this.#options.origin && TRADING_PATH.test(pathname);
    assert(isTrading, 'The secret goes only to trading paths (interface, Authentication)');
    const result = await this.#send(call, authenticationHeaders(this.#options.secret));
    if (result.kind === 'answer') this.#tellAuthentication(result.response.status);
    return result;
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

  #tellAuthentication(status: number): void {
    // A 5xx or a 429 may come from something in front that never looked at the secret.
    const accepted = status === UNAUTHORIZED ? false : status < 300 ? true : undefined;
    if (accepted === undefined || accepted === this.#accepted) return;
    this.#accepted = accepted;
    this.#options.onAuthentication?.(accepted);
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
