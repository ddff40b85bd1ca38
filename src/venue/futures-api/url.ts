import { assert } from '../../core/assert.js';

/** A configured address that must not be used; the message says why and what would do. */
export class VenueUrlError extends Error {
  override readonly name = 'VenueUrlError';
}

export type Query = Readonly<Record<string, string | undefined>>;

/** Every address of the venue is made here (reliability S-16). */
export interface RestUrls {
  /** Scheme, host and port: the only place the secret goes to. */
  readonly origin: string;
  /** Under /fapi/v1/wallet. */
  wallet(segments: readonly string[], query?: Query): string;
  /** Under /fapi/v1/futures. */
  futures(segments: readonly string[], query?: Query): string;
  /** /fapi/v2/futures/order: where orders are placed. */
  placeOrder(query: Query): string;
  /** Under /fapi/v1/price: public, never with the secret. */
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
  // A dot segment would climb the path, an empty one would name the collection (hazard B6).
  const meansAnother = segment === '' || segment === '.' || segment === '..';
  assert(!meansAnother, `A path segment names one thing, not "${segment}"`);
  return encodeURIComponent(segment);
}

const PARTS = /^(?<scheme>[a-z]+:)\/\/(?<authority>[^/?#\\\s]*)\/?$/i;
const HOST_AND_PORT = /^(?<host>\[[0-9a-f:.]*\]|[^:[\]]*)(?::\d{1,5})?$/i;
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const IP_LITERAL = /^(?:[\d.]+|\[.*\])$/;
const DNS_NAME = /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/** Scheme, host and port of a configured address: TLS, or a literal loopback IP (S-10, S-11). */
function checkedOrigin(text: string, option: string, secure: string, plain: string): string {
  const refuse = (why: string): never => {
    throw new VenueUrlError(`${option} ${JSON.stringify(shown(text))} is refused: ${why}`);
  };
  const parts = PARTS.exec(text)?.groups ?? refuse(shapeHint(text, secure));
  const scheme = (parts['scheme'] ?? '').toLowerCase();
  const authority = parts['authority'] ?? '';
  if (authority.includes('@')) refuse('it must not hold a user name or password');
  if (scheme !== secure && scheme !== plain) refuse(`it must begin with ${secure}//`);
  const host = HOST_AND_PORT.exec(authority)?.groups?.['host']?.toLowerCase() ?? '';
  if (host === '' || !URL.canParse(text)) refuse('it has no host, or the port is wrong');
  const url = new URL(text);
  // Octal, hexadecimal and shortened addresses are read differently by different readers.
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

/** Without what may be a password. */
const shown = (text: string): string => text.replace(/\/\/[^/]*@/, '//***@').slice(0, 200);
