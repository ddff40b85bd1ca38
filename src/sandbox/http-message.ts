import { wireJson, type WireValue } from './wire-json.js';

/** One HTTP request as the sandbox sees it, whatever carried it. */
export interface SandboxRequest {
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whose limits it counts against, and whether control paths are open. Default loopback. */
  readonly remoteAddress?: string;
  /** Set by a server: control paths obey these host names and loopback's, and check where they are called from. */
  readonly controlHosts?: readonly string[];
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sent in place of `body`, as they are. */
  readonly bytes?: Uint8Array;
  /** The connection breaks after so many bytes of the body. */
  readonly cutAfterBytes?: number;
}

/** What a route answers: status and JSON; without a body, nothing. */
export interface RouteReply {
  readonly status: number;
  readonly body: WireValue;
}

export const success = (data: WireValue, status = 200): RouteReply => ({
  status,
  body: { success: true, data },
});

/** The failure envelope (interface, Conventions). */
export const failure = (
  status: number,
  text: string,
  code: number | null = status,
): RouteReply => ({ status, body: { success: false, errors: [{ code, text }] } });

export const NOT_SERVED = failure(404, 'requested resource was not found');
export const PARAMS_ERROR = failure(400, 'Params error');
export const INTERNAL_ERROR = failure(500, 'something went wrong');
/** Text and code order as captured (supplement, part 3). */
export const UNAUTHENTICATED: RouteReply = {
  status: 401,
  body: { success: false, errors: [{ text: 'Invalid Authentication', code: 3100 }] },
};

export const jsonReply = (reply: RouteReply): HttpReply => ({
  status: reply.status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: reply.body === undefined ? '' : wireJson(reply.body),
});
