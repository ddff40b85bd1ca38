import type { z } from 'zod';
import { assert } from '../../../core/assert.js';
import {
  TransportError,
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type Net,
} from '../../../core/ports.js';
import type { Outcome } from '../../../core/request.js';
import type { FuturesApiLimits } from './api-limits.js';
import { OPERATIONS, type ApiOperation } from './operations.js';
import { outcomeOfResponse } from './outcome.js';
import type { RequestLimits } from './request-limits.js';
import { authenticationHeaders, type SecretSource } from './secret.js';
import type { RestUrls } from './url.js';

/** The venue's Date header beside the local clock: the source of venue time. */
export interface ServerDate {
  /** ms UTC, whole seconds. */
  readonly serverMs: number;
  /** Monotonic ms before sending and after the answer. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The parts of a request that depend on the arguments of its operation. */
export interface EncodedRequest {
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
}

export type HttpCallResult =
  | { readonly kind: 'answer'; readonly response: HttpResponse }
  | { readonly kind: 'lost'; readonly cause: string; readonly sent: boolean };

export interface HttpClientOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly secret: SecretSource;
  /** The only origin that the secret may go to. */
  readonly urls: Pick<RestUrls, 'origin'>;
  readonly limits: Pick<FuturesApiLimits, 'readTimeoutMs' | 'writeTimeoutMs'>;
  /** Receives the status of each answer: a 429 stops the tiers of its operation. */
  readonly requestLimits: Pick<RequestLimits, 'onResponse'>;
  /** Resolves when the request may be sent. */
  readonly acquirePermit: (operation: ApiOperation) => Promise<void>;
  readonly onServerDate?: (date: ServerDate) => void;
}

interface SingleRequest extends EncodedRequest {
  readonly method: HttpRequest['method'];
  readonly timeoutMs: number;
}

/** Paths that the secret may go to (interface: Authentication). */
const TRADING_PATH = /^\/fapi\/(?:v1\/(?:futures|wallet)|v2\/futures)(?:\/|$)/;
const MAX_CAUSE_LENGTH = 300;

/** Sends each operation of the interface once. Network failures become outcomes, never exceptions. */
export class HttpClient {
  readonly #options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /**
   * One attempt, with its answer as `yes`, `no` or `unknown`.
   * @param problemOf the fault of a value that the schema accepts, if any
   * @throws AssertionError from `encode`, or for a wrong address; nothing was sent then
   */
  async perform<T>(
    operation: ApiOperation,
    schema: z.ZodType<T>,
    encode: () => EncodedRequest,
    problemOf?: (value: T) => string | undefined,
  ): Promise<Outcome<T>> {
    const result = await this.call(operation, encode());
    if (result.kind === 'lost') {
      return { kind: 'unknown', cause: result.cause, sent: result.sent };
    }
    return this.redacted(outcomeOfResponse(operation, result.response, schema, problemOf));
  }

  /**
   * One attempt, with the answer as received. Only trading paths get the secret.
   * @throws AssertionError for any other address of a private operation; nothing was sent then
   */
  async call(operation: ApiOperation, encoded: EncodedRequest): Promise<HttpCallResult> {
    const { limits, requestLimits, acquirePermit } = this.#options;
    const { method, tiers } = OPERATIONS[operation];
    const timeoutMs = method === 'GET' ? limits.readTimeoutMs : limits.writeTimeoutMs;
    await acquirePermit(operation);
    const request = { ...encoded, method, timeoutMs };
    const isPublic = tiers.includes('market');
    const result = await this.#send(request, isPublic ? {} : this.#authentication(request.url));
    if (result.kind === 'answer') {
      const { status, headers } = result.response;
      requestLimits.onResponse(tiers, status, headers['retry-after']);
    }
    return result;
  }

  /** The texts of the venue without the secret, at most 300 characters each. */
  redacted<T>(outcome: Outcome<T>): Outcome<T> {
    if (outcome.kind === 'yes') return outcome;
    if (outcome.kind === 'no') return { ...outcome, text: this.#redactAndTruncate(outcome.text) };
    return { ...outcome, cause: this.#redactAndTruncate(outcome.cause) };
  }

  #authentication(url: string): Record<string, string> {
    const { origin, pathname } = new URL(url);
    const isTrading = origin === this.#options.urls.origin && TRADING_PATH.test(pathname);
    assert(isTrading, 'The secret goes only to trading paths (interface, Authentication)');
    return authenticationHeaders(this.#options.secret);
  }

  async #send(
    request: SingleRequest,
    authentication: Record<string, string>,
  ): Promise<HttpCallResult> {
    const { method, url, body, timeoutMs } = request;
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
      this.#notifyServerDate(response, sentAt);
      return { kind: 'answer', response };
    } catch (error) {
      // Any other error than the port's own proves nothing: the request counts as sent.
      const sent = error instanceof TransportError ? error.sent : true;
      const message = error instanceof Error ? error.message : String(error);
      return { kind: 'lost', cause: this.#options.secret.redact(message), sent };
    }
  }

  #notifyServerDate(response: HttpResponse, sentAt: number): void {
    const serverMs = Date.parse(response.headers['date'] ?? '');
    if (Number.isNaN(serverMs)) return;
    const receivedAt = this.#options.clock.monotonicMs();
    this.#options.onServerDate?.({ serverMs, sentAt, receivedAt });
  }

  #redactAndTruncate(text: string): string {
    return this.#options.secret.redact(text).slice(0, MAX_CAUSE_LENGTH);
  }
}

const contentType = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json' };
