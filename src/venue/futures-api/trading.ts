import type { z } from 'zod';
import type {
  Outcome,
  Reply,
  ReplyTo,
  RequestKind,
  RequestOf,
  VenueRequest,
} from '../../core/request.js';
import type { HttpResponse } from '../../core/ports.js';
import type { OrderRef } from '../../core/order.js';
import type { Call, CallResult } from './caller.js';
import { leverageBody, namedId, placeBody } from './encode.js';
import { readEnvelope, type VenueErrorText } from './envelope.js';
import type { FuturesApiLimits } from './limits.js';
import { rejectionCodeOf } from './rejection-texts.js';
import type { VenueUrls } from './url.js';
import { leverageSchema, walletSchema } from './wire-account.js';
import { cancelSchema, foundOrderSchema, ordersSchema, placementSchema } from './wire-order.js';
import { closesSchema, positionsSchema } from './wire-position.js';

export interface TradingOptions {
  readonly urls: VenueUrls;
  readonly limits: FuturesApiLimits;
  /** One call, with the secret, told to the rate budget. */
  readonly call: (call: Call, request: VenueRequest) => Promise<CallResult>;
  /** Takes the secret out of words that came from outside. */
  readonly redact: (text: string) => string;
}

/** Statuses with which the venue says no; any other no is not believed (reliability 0.1). */
const REJECTING: ReadonlySet<number> = new Set([400, 404, 409, 423, 429]);
const MAX_CAUSE_LENGTH = 300;

/** Each verb of the port as one HTTP call and its answer as one of yes, no, unknown. */
export class Trading {
  readonly #options: TradingOptions;

  constructor(options: TradingOptions) {
    this.#options = options;
  }

  /**
   * One attempt.
   * @throws AssertionError for a request that must never reach a wire; nothing was sent then
   */
  async send(request: VenueRequest): Promise<Reply> {
    switch (request.kind) {
      case 'place':
        return { to: 'place', outcome: await this.#place(request) };
      case 'cancel':
        return { to: 'cancel', outcome: await this.#cancel(request) };
      case 'find-order':
        return { to: 'find-order', outcome: await this.#findOrder(request) };
      case 'read-leverage':
        return { to: 'read-leverage', outcome: await this.#readLeverage(request) };
      case 'set-leverage':
        return { to: 'set-leverage', outcome: await this.#setLeverage(request) };
      case 'read-open-orders':
        return { to: 'read-open-orders', outcome: await this.#readOpenOrders(request) };
      case 'read-order-history':
        return { to: 'read-order-history', outcome: await this.#readOrderHistory(request) };
      case 'read-positions':
        return { to: 'read-positions', outcome: await this.#readPositions(request) };
      case 'read-closes':
        return { to: 'read-closes', outcome: await this.#readCloses(request) };
      case 'read-wallet':
        return { to: 'read-wallet', outcome: await this.#readWallet(request) };
    }
  }

  #place(request: RequestOf<'place'>): Promise<ReplyTo<'place'>> {
    const url = this.#options.urls.placeOrder({ symbol: request.terms.symbol });
    const schema = placementSchema(request.clientOrderId);
    return this.#change(request, 'POST', url, placeBody(request), schema);
  }

  #cancel(request: RequestOf<'cancel'>): Promise<ReplyTo<'cancel'>> {
    const { futures } = this.#options.urls;
    const { order } = request;
    const url =
      'clientOrderId' in order
        ? futures(['orders'], { client_order_id: namedId(order.clientOrderId) })
        : futures(['orders', order.orderId]);
    return this.#change(request, 'DELETE', url, undefined, cancelSchema);
  }

  #findOrder(request: RequestOf<'find-order'>): Promise<ReplyTo<'find-order'>> {
    const query = queryOf(request.order);
    return this.#read(request, ['orders', 'detail'], query, foundOrderSchema(request.order));
  }

  #readLeverage(request: RequestOf<'read-leverage'>): Promise<ReplyTo<'read-leverage'>> {
    const query = { is_symbol: 'true', trade_currency: request.currency };
    return this.#read(request, [request.symbol, 'leverage'], query, leverageSchema);
  }

  #setLeverage(request: RequestOf<'set-leverage'>): Promise<ReplyTo<'set-leverage'>> {
    const { futures } = this.#options.urls;
    const url = futures([request.symbol, 'leverage'], { is_symbol: 'true' });
    return this.#change(request, 'POST', url, leverageBody(request), leverageSchema);
  }

  #readOpenOrders(request: RequestOf<'read-open-orders'>): Promise<ReplyTo<'read-open-orders'>> {
    const limit = this.#options.limits.listRows;
    const query = { trade_currency: request.currency, limit: String(limit) };
    // A full page may have been cut, and an order that is not seen would pass for gone.
    const schema = ordersSchema(request.currency).refine((orders) => orders.length < limit, {
      message: `holds ${limit} rows or more: it may be cut`,
    });
    return this.#read(request, ['orders'], query, schema);
  }

  #readOrderHistory(
    request: RequestOf<'read-order-history'>,
  ): Promise<ReplyTo<'read-order-history'>> {
    const query = { trade_currency: request.currency, limit: String(request.limit) };
    return this.#read(request, ['orders', 'history'], query, ordersSchema(request.currency));
  }

  #readPositions(request: RequestOf<'read-positions'>): Promise<ReplyTo<'read-positions'>> {
    const query = { trade_currency: request.currency };
    return this.#read(request, ['positions'], query, positionsSchema(request.currency));
  }

  #readCloses(request: RequestOf<'read-closes'>): Promise<ReplyTo<'read-closes'>> {
    const query = { trade_currency: request.currency, limit: String(request.limit) };
    return this.#read(request, ['positions', 'history'], query, closesSchema(request.currency));
  }

  #readWallet(request: RequestOf<'read-wallet'>): Promise<ReplyTo<'read-wallet'>> {
    const query = { trade_currency: request.currency };
    return this.#read(request, ['funds'], query, walletSchema(request.currency));
  }

  #read<T>(
    request: VenueRequest,
    path: readonly string[],
    query: Readonly<Record<string, string>>,
    schema: z.ZodType<T>,
  ): Promise<Outcome<T>> {
    const { urls, limits } = this.#options;
    const url = urls.futures(path, query);
    return this.#perform(request, { method: 'GET', url, timeoutMs: limits.readTimeoutMs }, schema);
  }

  #change<T>(
    request: VenueRequest,
    method: 'POST' | 'DELETE',
    url: string,
    body: string | undefined,
    schema: z.ZodType<T>,
  ): Promise<Outcome<T>> {
    const timeoutMs = this.#options.limits.changeTimeoutMs;
    const call = { method, url, timeoutMs, ...(body === undefined ? {} : { body }) };
    return this.#perform(request, call, schema);
  }

  async #perform<T>(request: VenueRequest, call: Call, schema: z.ZodType<T>): Promise<Outcome<T>> {
    const result = await this.#options.call(call, request);
    if (result.kind === 'lost') {
      return { kind: 'unknown', cause: result.cause, sent: result.sent };
    }
    const outcome = outcomeOf(request.kind, result.response, schema);
    if (outcome.kind === 'yes') return outcome;
    if (outcome.kind === 'no') return { ...outcome, text: this.#plain(outcome.text) };
    return { ...outcome, cause: this.#plain(outcome.cause) };
  }

  #plain(text: string): string {
    return this.#options.redact(text).slice(0, MAX_CAUSE_LENGTH);
  }
}

/** The class table of reliability 0.1. */
export function outcomeOf<T>(
  kind: RequestKind,
  response: HttpResponse,
  schema: z.ZodType<T>,
): Outcome<T> {
  const { status } = response;
  const unknown = (cause: string): Outcome<T> => ({
    kind: 'unknown',
    cause: `HTTP ${status}: ${cause}`,
    sent: true,
    status,
  });
  const envelope = readEnvelope(response.body);
  if (envelope.kind === 'unreadable') return unknown(envelope.cause);
  if (envelope.kind === 'failure') {
    return rejectionOf(kind, status, envelope.errors) ?? unknown(shown(envelope.errors));
  }
  if (status < 200 || status > 299) return unknown('a success envelope with an error status');
  const value = schema.safeParse(envelope.data);
  return value.success ? { kind: 'yes', value: value.data } : unknown(issueOf(value.error));
}

/** A no only when the table knows every text of it. */
function rejectionOf(
  kind: RequestKind,
  status: number,
  errors: readonly VenueErrorText[],
): Extract<Outcome<never>, { kind: 'no' }> | undefined {
  if (!REJECTING.has(status)) return undefined;
  const codes = errors.map(({ text }) => rejectionCodeOf(kind, status, text));
  const [code] = codes;
  if (code === undefined || codes.includes(undefined)) return undefined;
  return { kind: 'no', code, text: errors.map(({ text }) => text).join('; '), status };
}

const shown = (errors: readonly VenueErrorText[]): string =>
  errors.map(({ code, text }) => (code === undefined ? text : `${text} (${code})`)).join('; ');

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `the data does not read: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
}

const queryOf = (order: OrderRef): Readonly<Record<string, string>> =>
  'clientOrderId' in order
    ? { client_order_id: namedId(order.clientOrderId) }
    : { order_id: order.orderId };
