import type { Delivery } from './delivery.js';
import { INTERNAL_ERROR, type RouteReply, type SandboxRequest } from './http-message.js';
import { parseBody } from './request-body.js';
import { answer, createRouter } from './router.js';
import type { SandboxParts } from './sandbox-parts.js';
import { actAtVenue } from './venue-acts.js';
import { venueRoutes } from './venue-routes.js';

const REFUSED_LATER = 'order rejected by the exchange';
/** The first ones say what is wrong; the same again under load would only fill the memory. */
const MOST_ERRORS = 1_000;

/** What requests pass, wired to a sandbox. */
export function deliveryOf(parts: SandboxParts): Delivery {
  const { plan, clock, exchange, reads } = parts;
  const { switches } = plan;
  const routes = venueRoutes(parts);
  const router = guarded(
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
      return reads.during(lagMs, () => router(request));
    },
    faults: parts.faults,
    log: parts.log,
    nowMs: () => clock.now(),
    wait: (delayMs) => waitFor(parts, delayMs),
    act(rule) {
      actAtVenue(parts.venue, rule);
    },
    burnId({ body }) {
      const id = parseBody(body)?.['client_order_id'];
      if (typeof id === 'string' && id !== '') exchange.burn(id);
    },
    afterPlacing(fate, request, reply) {
      if (fate === 'twice') answer(routes, withoutClientId(request));
      else exchange.refuse({ orderId: orderIdIn(reply) }, REFUSED_LATER);
    },
  };
}

/** Up to date before each request. A fault of our own is a 500, and stays visible in the state. */
export function guarded(
  { run, internalErrors }: SandboxParts,
  route: (request: SandboxRequest) => RouteReply,
): (request: SandboxRequest) => RouteReply {
  return (request) => {
    try {
      run.catchUp();
      return route(request);
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const told = `${request.method} ${request.path}: ${what}`;
      if (internalErrors.length < MOST_ERRORS) internalErrors.push(told);
      return INTERNAL_ERROR;
    }
  };
}

function waitFor({ ports, waits }: SandboxParts, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = ports.scheduler.after(delayMs, () => {
      waits.delete(cancel);
      resolve();
    });
    waits.add(cancel);
  });
}

/** The same order once more, as if its id had not been looked at. */
function withoutClientId(request: SandboxRequest): SandboxRequest {
  const { client_order_id: _, ...rest } = parseBody(request.body) ?? {};
  return { ...request, body: JSON.stringify(rest) };
}

/** '' when an answer names none. */
function orderIdIn({ body }: RouteReply): string {
  const { data } = body as { readonly data?: { readonly order_id?: unknown } };
  return typeof data?.order_id === 'string' ? data.order_id : '';
}
