import {
  NOT_SERVED,
  UNAUTHENTICATED,
  type RouteReply,
  type SandboxRequest,
} from './http-message.js';
import { KLINE_PATHS } from '../routes/kline-routes.js';
import {
  MARKET_LIMIT_REACHED,
  tierOf,
  TRADING_LIMIT_REPLIES,
  type RateLimits,
} from './rate-limits.js';
import { parseBody } from './request-body.js';
import { matchParts, segmentsOf, type Route } from './route.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** The current secret. */
  readonly secret: () => string;
  /** undefined: no rate limits. */
  readonly limits: RateLimits | undefined;
  /** Default: the envelope. */
  readonly rateLimitBody?: BehaviorFlags['rateLimitBody'];
}

export type Router = (request: SandboxRequest) => RouteReply;

/**
 * Router of the documented paths. Klines are public. Every other request is checked for its key first,
 * then for its path, then for its limits (supplement: part 3).
 */
export function createRouter({ routes, secret, limits, rateLimitBody }: RouterOptions): Router {
  const openPaths: readonly string[] = KLINE_PATHS;
  const tradingLimitReached = TRADING_LIMIT_REPLIES[rateLimitBody ?? 'envelope'];
  return (request) => {
    const isPublic = request.method === 'GET' && openPaths.includes(request.path);
    if (!isPublic && request.headers['x-authentication'] !== secret()) return UNAUTHENTICATED;
    if (limits !== undefined) {
      const tier = isPublic ? 'market-data' : tierOf(request.method, request.path);
      const caller = isPublic ? (request.remoteAddress ?? '') : secret();
      if (!limits.tryAcquire(tier, caller))
        return isPublic ? MARKET_LIMIT_REACHED : tradingLimitReached;
    }
    return dispatch(routes, request);
  };
}

/** Runs the first matching route. */
export function dispatch(routes: readonly Route[], request: SandboxRequest): RouteReply {
  const segments = segmentsOf(request.path);
  if (segments === undefined) return NOT_SERVED;
  const key = `${request.method} ${segments.length}`;
  for (const { route, parts } of tableOf(routes).get(key) ?? []) {
    const parameters = matchParts(parts, segments);
    if (parameters === undefined) continue;
    const query = new URLSearchParams(request.query);
    const { body } = request;
    return route.handle({ parameters, query, body: parseBody(body), bodyText: body });
  }
  return NOT_SERVED;
}

interface Row {
  readonly route: Route;
  readonly parts: readonly string[];
}

/** Routes by method and number of segments, in the given order. */
type Table = ReadonlyMap<string, readonly Row[]>;

const tableCache = new WeakMap<readonly Route[], Table>();

function tableOf(routes: readonly Route[]): Table {
  const cached = tableCache.get(routes);
  if (cached !== undefined) return cached;
  const table = new Map<string, Row[]>();
  for (const route of routes) {
    const parts = route.path.split('/');
    const key = `${route.method} ${parts.length}`;
    table.set(key, [...(table.get(key) ?? []), { route, parts }]);
  }
  tableCache.set(routes, table);
  return table;
}
