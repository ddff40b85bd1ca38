import type { FaultInjector, FaultPlan } from './faults.js';
import { jsonReply, type HttpReply, type RouteReply, type SandboxRequest } from './http-message.js';
import { rejection } from './rejection-text.js';
import type { LoggedRequest, RequestLog } from './request-log.js';

/** What a request passes on its way to the venue and back. */
export interface Delivery {
  readonly route: (request: SandboxRequest) => RouteReply;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  /** Venue ms. */
  readonly nowMs: () => number;
  /** Real ms. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Whether the order that a lookup names was accepted less than so many real ms ago. */
  readonly acceptedRecently: (request: SandboxRequest, withinMs: number) => boolean;
}

/** Carries one request through whatever faults strike it. */
export async function deliver(
  request: SandboxRequest,
  delivery: Delivery,
): Promise<HttpReply | 'reset'> {
  const plan = delivery.faults.plan(request.method, request.path);
  const entry = delivery.log.begin(request, delivery.nowMs(), plan.struck);
  if (plan.requestDelayMs > 0) await delivery.wait(plan.requestDelayMs);
  if (plan.lost === 'request') return 'reset';
  let reply = carryOut(request, plan, delivery, entry);
  for (let again = 1; again < plan.deliveries; again += 1) {
    reply = carryOut(request, plan, delivery, entry);
  }
  if (plan.replyDelayMs > 0) await delivery.wait(plan.replyDelayMs);
  if (plan.lost === 'reply') return 'reset';
  if (plan.afterwards !== undefined) return plan.afterwards;
  return plan.cutBody ? { ...reply, cutAfterBytes: Math.floor(reply.body.length / 2) } : reply;
}

function carryOut(
  request: SandboxRequest,
  plan: FaultPlan,
  delivery: Delivery,
  entry: LoggedRequest,
): HttpReply {
  delivery.log.delivered(entry);
  const reply = plan.instead ?? jsonReply(routed(request, plan, delivery));
  entry.status = reply.status;
  return reply;
}

function routed(request: SandboxRequest, plan: FaultPlan, delivery: Delivery): RouteReply {
  const reply = delivery.route(request);
  if (reply.status !== 200) return reply;
  if (plan.nullData) return { status: 200, body: { success: true, data: null } };
  const isUnseen = plan.readLagMs > 0 && delivery.acceptedRecently(request, plan.readLagMs);
  return isUnseen ? rejection('order-not-found') : reply;
}
