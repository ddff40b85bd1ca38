import type { z } from 'zod';
import type { Outcome } from '../../core/request.js';
import type { CallResult, Caller } from './caller.js';
import type { FuturesApiLimits } from './limits.js';
import { OPERATIONS, type Operation } from './operations.js';
import { outcomeOf } from './outcome.js';
import type { RequestLimits } from './request-limits.js';

export interface RequesterOptions {
  readonly caller: Caller;
  readonly limits: FuturesApiLimits;
  /** Told how each call was answered: a 429 stops its tiers. */
  readonly requestLimits: Pick<RequestLimits, 'answered'>;
  /** Resolves when the call may be sent. */
  readonly slot: (operation: Operation) => Promise<void>;
  /** Takes the secret out of words that came from outside. */
  readonly redact: (text: string) => string;
}

/** What of a call depends on its arguments. */
export interface Wire {
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
}

const MAX_CAUSE_LENGTH = 300;

/** One operation as one call: its turn in the limits, its answer as one of yes, no, unknown. */
export class Requester {
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /**
   * One attempt.
   * @param objection What speaks against an answer that reads by the schema
   * @throws AssertionError of `wire`; nothing was sent then
   */
  async perform<T>(
    operation: Operation,
    schema: z.ZodType<T>,
    wire: () => Wire,
    objection?: (value: T) => string | undefined,
  ): Promise<Outcome<T>> {
    const result = await this.call(operation, wire());
    if (result.kind === 'lost') {
      return { kind: 'unknown', cause: result.cause, sent: result.sent };
    }
    return this.plain(outcomeOf(operation, result.response, schema, objection));
  }

  /** One attempt, its answer as it came. Public paths go without the secret. */
  async call(operation: Operation, { url, body }: Wire): Promise<CallResult> {
    const { caller, limits, requestLimits, slot } = this.#options;
    const { method, tiers } = OPERATIONS[operation];
    const timeoutMs = method === 'GET' ? limits.readTimeoutMs : limits.changeTimeoutMs;
    await slot(operation);
    const asked = { method, url, timeoutMs, ...(body !== undefined && { body }) };
    const isPublic = tiers.includes('market');
    const result = await (isPublic ? caller.public(asked) : caller.trading(asked));
    if (result.kind === 'answer') {
      const { status, headers } = result.response;
      requestLimits.answered(tiers, status, headers['retry-after']);
    }
    return result;
  }

  /** The venue's words, without the secret and cut to a length that a log line bears. */
  plain<T>(outcome: Outcome<T>): Outcome<T> {
    if (outcome.kind === 'yes') return outcome;
    if (outcome.kind === 'no') return { ...outcome, text: this.#cut(outcome.text) };
    return { ...outcome, cause: this.#cut(outcome.cause) };
  }

  #cut(text: string): string {
    return this.#options.redact(text).slice(0, MAX_CAUSE_LENGTH);
  }
}
