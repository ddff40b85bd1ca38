import type { FaultRule } from './fault-rules.js';
import type { FaultInjector, FaultPlan } from './faults.js';
import { jsonReply, type HttpReply, type RouteReply, type SandboxRequest } from './http-message.js';
import type { LoggedRequest, RequestLog } from './request-log.js';

/** What a request passes on its way to the venue and back. */
export interface Delivery {
  /** Reads see the venue as it was `readLagMs` real ms ago. */
  readonly route: (request: SandboxRequest, readLagMs: number) => RouteReply;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  /** Venue ms. */
  readonly nowMs: () => number;
  /** Real ms. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Something happens at the venue that no request asked for. */
  readonly act: (rule: FaultRule) => void;
  /** The client order id of a request counts as used from now on. */
  readonly burnId: (request: SandboxRequest) => void;
  /** What becomes of an order that a request has placed. */
  readonly afterPlacing: (
    fate: 'refuse' | 'twice',
    request: SandboxRequest,
    reply: RouteReply,
  ) => void;
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
  plan.acts.forEach(delivery.act);
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
  if (plan.burnsId) delivery.burnId(request);
  const reply = plan.instead ?? jsonReply(routed(request, plan, delivery));
  entry.status = reply.status;
  return reply;
}

function routed(request: SandboxRequest, plan: FaultPlan, delivery: Delivery): RouteReply {
  const reply = delivery.route(request, plan.readLagMs);
  if (reply.status !== 200 && reply.status !== 202) return reply;
  for (const fate of plan.afterPlacing) delivery.afterPlacing(fate, request, reply);
  return plan.edits.reduce((edited, edit) => edit(edited), reply);
}
