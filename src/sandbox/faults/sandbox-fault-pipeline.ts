import type { FaultPipeline } from './fault-pipeline.js';
import { INTERNAL_ERROR, type RouteReply, type SandboxRequest } from '../http/http-message.js';
import { parseBody } from '../http/request-body.js';
import { dispatch, createRouter } from '../http/router.js';
import type { SandboxParts } from '../sandbox-parts.js';
import { applyAdminAction } from '../control/admin-actions.js';
import { venueRoutes } from '../routes/venue-routes.js';

const ASYNC_REJECTION = 'order rejected by the exchange';
/** Later errors under load repeat the first ones and would only use memory. */
const MAX_ERRORS = 1_000;

/** The fault pipeline of a sandbox. */
export function createFaultPipeline(parts: SandboxParts): FaultPipeline {
  const { plan, clock, exchange, staleReads } = parts;
  const { switches } = plan;
  const routes = venueRoutes(parts);
  const router = withErrorHandling(
    parts,
    createRouter({
      routes,
      secret: () => parts.key.secret,
      limits: parts.limits,
      rateLimitBody: switches.rateLimitBody,
    }),
  );
  return {
    route(request, readLagMs) {
      const lagMs = request.method === 'GET' ? Math.max(readLagMs, switches.readLagMs) : 0;
      return staleReads.withLag(lagMs, () => router(request));
    },
    faults: parts.faults,
    log: parts.log,
    nowMs: () => clock.now(),
    wait: (delayMs) => waitFor(parts, delayMs),
    applyAdminAction(rule) {
      applyAdminAction(parts.adminActionParts, rule);
    },
    burnId({ body }) {
      const id = parseBody(body)?.['client_order_id'];
      if (typeof id === 'string' && id !== '') exchange.burn(id);
    },
    afterPlacement(outcome, request, reply) {
      if (outcome === 'twice') dispatch(routes, withoutClientId(request));
      else exchange.reject({ orderId: orderIdIn(reply) }, ASYNC_REJECTION);
    },
  };
}

/** Catches up before each request. An internal error is answered with 500 and listed in the state view. */
export function withErrorHandling(
  { exchangeLoop, internalErrors }: SandboxParts,
  route: (request: SandboxRequest) => RouteReply,
): (request: SandboxRequest) => RouteReply {
  return (request) => {
    try {
      exchangeLoop.catchUp();
      return route(request);
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const message = `${request.method} ${request.path}: ${detail}`;
      if (internalErrors.length < MAX_ERRORS) internalErrors.push(message);
      return INTERNAL_ERROR;
    }
  };
}

function waitFor({ ports, pendingDelays }: SandboxParts, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = ports.scheduler.after(delayMs, () => {
      pendingDelays.delete(cancel);
      resolve();
    });
    pendingDelays.add(cancel);
  });
}

/** The same order without its id, which bypasses the uniqueness check. */
function withoutClientId(request: SandboxRequest): SandboxRequest {
  const { client_order_id: _, ...rest } = parseBody(request.body) ?? {};
  return { ...request, body: JSON.stringify(rest) };
}

/** '' when the reply has no order id. */
function orderIdIn({ body }: RouteReply): string {
  const { data } = body as { readonly data?: { readonly order_id?: unknown } };
  return typeof data?.order_id === 'string' ? data.order_id : '';
}
