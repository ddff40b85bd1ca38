import type { FaultRule } from './fault-rules.js';
import type { FaultInjector, FaultPlan } from './faults.js';
import {
  jsonReply,
  type HttpReply,
  type RouteReply,
  type SandboxRequest,
} from '../http/http-message.js';
import type { LoggedRequest, RequestLog } from '../control/request-log.js';

/** The parts that a request passes on its way to the venue and back. */
export interface FaultPipeline {
  /** Reads return the venue's state of `readLagMs` real ms ago. */
  readonly route: (request: SandboxRequest, readLagMs: number) => RouteReply;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  /** Venue ms. */
  readonly nowMs: () => number;
  /** Real ms. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Carries out an event at the venue that no request asked for. */
  readonly applyAdminAction: (rule: FaultRule) => void;
  /** Marks the client order id of a request as used. */
  readonly burnId: (request: SandboxRequest) => void;
  /** Refuses or duplicates the order that a request has placed. */
  readonly afterPlacement: (
    outcome: 'refuse' | 'twice',
    request: SandboxRequest,
    reply: RouteReply,
  ) => void;
}

/** Runs one request through the faults that apply to it. */
export async function runThroughFaults(
  request: SandboxRequest,
  pipeline: FaultPipeline,
): Promise<HttpReply | 'reset'> {
  const plan = pipeline.faults.plan(request.method, request.path);
  const entry = pipeline.log.startEntry(request, pipeline.nowMs(), plan.struck);
  if (plan.requestDelayMs > 0) await pipeline.wait(plan.requestDelayMs);
  if (plan.lost === 'request') return 'reset';
  plan.adminActions.forEach(pipeline.applyAdminAction);
  let reply = deliverOnce(request, plan, pipeline, entry);
  for (let delivered = 1; delivered < plan.deliveries; delivered += 1) {
    reply = deliverOnce(request, plan, pipeline, entry);
  }
  if (plan.replyDelayMs > 0) await pipeline.wait(plan.replyDelayMs);
  if (plan.lost === 'reply') return 'reset';
  if (plan.replyAfterwards !== undefined) return plan.replyAfterwards;
  return plan.cutBody ? { ...reply, cutAfterBytes: Math.floor(reply.body.length / 2) } : reply;
}

function deliverOnce(
  request: SandboxRequest,
  plan: FaultPlan,
  pipeline: FaultPipeline,
  entry: LoggedRequest,
): HttpReply {
  pipeline.log.onDelivered(entry);
  if (plan.burnsId) pipeline.burnId(request);
  const reply = plan.replyInstead ?? jsonReply(routeWithEdits(request, plan, pipeline));
  entry.status = reply.status;
  return reply;
}

function routeWithEdits(
  request: SandboxRequest,
  plan: FaultPlan,
  pipeline: FaultPipeline,
): RouteReply {
  const reply = pipeline.route(request, plan.readLagMs);
  if (reply.status !== 200 && reply.status !== 202) return reply;
  for (const outcome of plan.placementOutcomes) pipeline.afterPlacement(outcome, request, reply);
  return plan.edits.reduce((edited, edit) => edit(edited), reply);
}
