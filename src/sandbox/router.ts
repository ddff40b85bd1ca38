import {
  NOT_SERVED,
  UNAUTHENTICATED,
  type RouteReply,
  type SandboxRequest,
} from './http-message.js';
import { KLINE_PATHS } from './kline-routes.js';
import {
  MARKET_LIMIT_REACHED,
  tierOf,
  TRADING_LIMIT_REACHED,
  type RateLimits,
} from './rate-limits.js';
import { parseBody } from './request-fields.js';
import { matchPath, segmentsOf, type Route } from './route.js';

export interface RouterOptions {
  readonly routes: readonly Route[];
  readonly secret: string;
  /** undefined lifts the rates. */
  readonly limits: RateLimits | undefined;
}

export type Router = (request: SandboxRequest) => RouteReply;

/**
 * The documented paths. Klines are public; on every other path the key is looked at before the path
 * is (supplement, part 3), then its limits, then the route.
 */
export function createRouter({ routes, secret, limits }: RouterOptions): Router {
  const openPaths: readonly string[] = KLINE_PATHS;
  return (request) => {
    const isPublic = request.method === 'GET' && openPaths.includes(request.path);
    if (!isPublic && request.headers['x-authentication'] !== secret) return UNAUTHENTICATED;
    const tier = isPublic ? 'market-data' : tierOf(request.method, request.path);
    const caller = isPublic ? (request.remoteAddress ?? '') : secret;
    if (limits !== undefined && !limits.take(tier, caller)) {
      return isPublic ? MARKET_LIMIT_REACHED : TRADING_LIMIT_REACHED;
    }
    return answer(routes, request);
  };
}

/** Runs the first route that fits. */
export function answer(routes: readonly Route[], request: SandboxRequest): RouteReply {
  const segments = segmentsOf(request.path);
  if (segments === undefined) return NOT_SERVED;
  for (const route of routes) {
    if (route.method !== request.method) continue;
    const parameters = matchPath(route.path, segments);
    if (parameters === undefined) continue;
    const query = new URLSearchParams(request.query);
    const { body } = request;
    return route.answer({ parameters, query, body: parseBody(body), bodyText: body });
  }
  return NOT_SERVED;
}
