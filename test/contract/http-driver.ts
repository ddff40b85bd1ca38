import { Agent, request as send } from 'undici';
import { readJson } from './json.js';
import type { RawResponse, VenueDriver, RawRequest } from './venue-under-test.js';

export interface HttpDriverOptions {
  readonly baseUrl: string;
  readonly secret: string;
  /** Resolves when the next request may be sent within the venue's limits. */
  readonly pace?: (request: RawRequest) => Promise<void>;
}

export interface HttpDriver extends VenueDriver {
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** Plain HTTP: the case determines every byte. */
export function createHttpDriver(options: HttpDriverOptions): HttpDriver {
  const agent = new Agent({ connections: 16, connect: { timeout: 5_000 } });
  return {
    async call(request) {
      await options.pace?.(request);
      const body = bodyText(request.body);
      const response = await send(urlOf(options.baseUrl, request), {
        dispatcher: agent,
        method: request.method,
        headers: headersOf(options.secret, body, request),
        ...(body === undefined ? {} : { body }),
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      const text = await response.body.text();
      return responseOf(response.statusCode, plain(response.headers), text);
    },
    close: () => agent.destroy(),
  };
}

export const responseOf = (
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): RawResponse => ({ status, headers, text, json: readJson(text) });

export function urlOf(baseUrl: string, request: RawRequest): string {
  const query = queryText(request.query);
  return `${baseUrl}${request.path}${query === '' ? '' : `?${query}`}`;
}

export function queryText(query: RawRequest['query']): string {
  if (query === undefined || typeof query === 'string') return query ?? '';
  const encode = encodeURIComponent;
  return Object.entries(query)
    .map(([name, value]) => (value === null ? encode(name) : `${encode(name)}=${encode(value)}`))
    .join('&');
}

export function bodyText(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

/** The key goes to trading paths only (interface: authentication). */
function headersOf(secret: string, body: string | undefined, request: RawRequest) {
  const isPublic = /^\/(?:fapi\/v1\/price|sandbox)\//.test(request.path);
  const headers: Record<string, string | null> = {
    ...(isPublic ? {} : { 'x-authentication': secret }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

function plain(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
  );
}
