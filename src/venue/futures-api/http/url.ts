import { assert } from '../../../core/assert.js';
import type { ListRange } from '../futures-api.js';

/** A configured address is refused; the message has the reason and an accepted form. */
export class VenueUrlError extends Error {
  override readonly name = 'VenueUrlError';
}

export type Query = Readonly<Record<string, string | undefined>>;

/** The `limit` and `offset` of a list. The venue has a default for each that is left out. */
export const rangeQuery = (range: ListRange = {}): Query => ({
  limit: range.limit?.toString(),
  offset: range.offset?.toString(),
});

/** Builds every REST address of the venue, so that the secret cannot go elsewhere. */
export interface RestUrls {
  /** Scheme, host and port: the only origin that gets the secret. */
  readonly origin: string;
  /** Under /fapi/v1/wallet. */
  wallet(segments: readonly string[], query?: Query): string;
  /** Under /fapi/v1/futures. */
  futures(segments: readonly string[], query?: Query): string;
  /** /fapi/v2/futures/order: places orders. */
  placeOrder(query: Query): string;
  /** Under /fapi/v1/price: public, without the secret. */
  price(resource: 'kline' | 'mark-kline', query: Query): string;
}

export interface VenueUrls extends RestUrls {
  readonly stream: string;
}

/** @throws VenueUrlError */
export function venueUrls(baseUrl: string, wsUrl: string): VenueUrls {
  const urls = restUrls(baseUrl);
  const ws = checkedOrigin(wsUrl, 'ws_url', 'wss:', 'ws:');
  return { ...urls, stream: `${ws}/fapi/v1/price/ws/linear` };
}

/** @throws VenueUrlError */
export function restUrls(baseUrl: string): RestUrls {
  const base = checkedOrigin(baseUrl, 'base_url', 'https:', 'http:');
  return {
    origin: base,
    wallet: (segments, query) => build(`${base}/fapi/v1/wallet`, segments, query),
    futures: (segments, query) => build(`${base}/fapi/v1/futures`, segments, query),
    placeOrder: (query) => build(`${base}/fapi/v2/futures/order`, [], query),
    price: (resource, query) => build(`${base}/fapi/v1/price`, [resource], query),
  };
}

function build(root: string, segments: readonly string[], query: Query = {}): string {
  const path = segments.map((segment) => `/${encodedSegment(segment)}`).join('');
  const parameters = Object.entries(query)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${root}${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
}

function encodedSegment(segment: string): string {
  // A dot segment would climb the path, and an empty one would address the collection (hazard B6).
  const isInvalid = segment === '' || segment === '.' || segment === '..';
  assert(!isInvalid, `A path segment names one thing, not "${segment}"`);
  return encodeURIComponent(segment);
}

const PARTS = /^(?<scheme>[a-z]+:)\/\/(?<authority>[^/?#\\\s]*)\/?$/i;
const HOST_AND_PORT = /^(?<host>\[[0-9a-f:.]*\]|[^:[\]]*)(?::\d{1,5})?$/i;
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const IP_LITERAL = /^(?:[\d.]+|\[.*\])$/;
const DNS_NAME = /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/** Scheme, host and port of a configured address. It must use TLS, or be a literal loopback IP. */
function checkedOrigin(text: string, option: string, secure: string, plain: string): string {
  const refuse = (reason: string): never => {
    throw new VenueUrlError(
      `${option} ${JSON.stringify(withoutPassword(text))} is refused: ${reason}`,
    );
  };
  const parts = PARTS.exec(text)?.groups ?? refuse(shapeHint(text, secure));
  const scheme = (parts['scheme'] ?? '').toLowerCase();
  const authority = parts['authority'] ?? '';
  if (authority.includes('@')) refuse('it must not hold a user name or password');
  if (scheme !== secure && scheme !== plain) refuse(`it must begin with ${secure}//`);
  const host = HOST_AND_PORT.exec(authority)?.groups?.['host']?.toLowerCase() ?? '';
  if (host === '' || !URL.canParse(text)) refuse('it has no host, or the port is wrong');
  const url = new URL(text);
  // Parsers disagree on octal, hexadecimal and shortened addresses.
  if (url.hostname !== host) refuse(`its host must be written in its plain form, ${url.hostname}`);
  const loopback = LOOPBACK.test(host);
  if (!loopback && IP_LITERAL.test(host)) {
    refuse('an IP address is accepted only on loopback; name the host');
  }
  if (!loopback && !DNS_NAME.test(host)) refuse('its host is not a plain domain name');
  if (scheme === plain && !loopback) {
    refuse(`without TLS only 127.0.0.1 or [::1] is accepted; use ${secure}//`);
  }
  return `${url.protocol}//${url.host}`;
}

function shapeHint(text: string, secure: string): string {
  if (/[?#]/.test(text)) return 'it must not hold a query or fragment';
  if (/^[a-z]+:\/\/[^/]+\/./i.test(text)) return 'it must end after host and port, without a path';
  return `it must look like ${secure}//host or ${secure}//host:port`;
}

/** Masks a possible password. */
const withoutPassword = (text: string): string =>
  text.replace(/\/\/[^/]*@/, '//***@').slice(0, 200);
