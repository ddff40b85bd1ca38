import { wireJson, type WireValue } from './wire-json.js';

/** One HTTP request, independent of its transport. */
export interface SandboxRequest {
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Address for rate limits and for the loopback check of control paths. Default loopback. */
  readonly remoteAddress?: string;
  /** Set by a server: extra host names under which control paths may be called; turns on origin checks. */
  readonly controlHosts?: readonly string[];
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sent unchanged in place of `body`. */
  readonly bytes?: Uint8Array;
  /** The connection breaks after this many bytes of the body. */
  readonly cutAfterBytes?: number;
}

/** Status and JSON of a route's answer; unset body: empty. */
export interface RouteReply {
  readonly status: number;
  readonly body: WireValue;
}

export const success = (data: WireValue, status = 200): RouteReply => ({
  status,
  body: { success: true, data },
});

/** The failure envelope (interface: Conventions). */
export const failure = (
  status: number,
  text: string,
  code: number | null = status,
): RouteReply => ({ status, body: { success: false, errors: [{ code, text }] } });

export const NOT_SERVED = failure(404, 'requested resource was not found');
export const PARAMS_ERROR = failure(400, 'Params error');
export const INTERNAL_ERROR = failure(500, 'something went wrong');
/** Order of text and code as captured (supplement: part 3). */
export const UNAUTHENTICATED: RouteReply = {
  status: 401,
  body: { success: false, errors: [{ text: 'Invalid Authentication', code: 3100 }] },
};

export const jsonReply = (reply: RouteReply): HttpReply => ({
  status: reply.status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: reply.body === undefined ? '' : wireJson(reply.body),
});
