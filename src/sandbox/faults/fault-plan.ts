import { gzipSync } from 'node:zlib';
import type { FaultRule } from './fault-rules.js';
import { failure, INTERNAL_ERROR, jsonReply, type HttpReply } from '../http/http-message.js';
import { TRADING_LIMIT_REACHED } from '../http/rate-limits.js';
import { rejection, statusOfText } from '../http/rejection-text.js';
import * as edits from './reply-edits.js';

/** The faults of one request. */
export interface FaultPlan {
  /** Names of the applied faults, in list order. */
  readonly struck: readonly string[];
  /** Delay before delivery: a late landing. */
  readonly requestDelayMs: number;
  /** Delay after handling. */
  readonly replyDelayMs: number;
  /** The lost direction. The client gets no answer; a half-open connection does not even break. */
  readonly lost: 'request' | 'reply' | undefined;
  readonly deliveries: number;
  /** Events at the venue just before delivery. */
  readonly adminActions: readonly FaultRule[];
  /** Sent instead of handling the request. */
  readonly replyInstead: HttpReply | undefined;
  /** Sent instead of the answer after handling the request. */
  readonly replyAfterwards: HttpReply | undefined;
  /** Whether the refusal uses up the client order id. */
  readonly burnsId: boolean;
  /** Consequences for an order that the request places. */
  readonly placementOutcomes: readonly ('refuse' | 'twice')[];
  /** Changes to the body of a success reply. */
  readonly edits: readonly edits.ReplyEdit[];
  /** Real ms by which reads lag. */
  readonly readLagMs: number;
  readonly cutBody: boolean;
}

export const NO_FAULTS: FaultPlan = {
  struck: [],
  requestDelayMs: 0,
  replyDelayMs: 0,
  lost: undefined,
  deliveries: 1,
  adminActions: [],
  replyInstead: undefined,
  replyAfterwards: undefined,
  burnsId: false,
  placementOutcomes: [],
  edits: [],
  readLagMs: 0,
  cutBody: false,
};

/** A day: longer than any client's time-out. */
const UNANSWERED_MS = 86_400_000;
const DEFAULT_SPIKE = 2;
const BOMB_BYTES = 33_554_432;
const UNREACHABLE_URL = 'http://elsewhere.invalid/';

/** The plan with one more fault. */
export function planWith(before: FaultPlan, rule: FaultRule): FaultPlan {
  const plan = { ...before, struck: [...before.struck, rule.name] };
  return { ...plan, ...(networkFault(plan, rule) ?? venueFault(plan, rule)) };
}

/** Faults of the network; undefined for any other. */
function networkFault(plan: FaultPlan, rule: FaultRule): Partial<FaultPlan> | undefined {
  switch (rule.name) {
    case 'req_lost':
      return { lost: 'request', requestDelayMs: plan.requestDelayMs + rule.delayMs };
    case 'half_open':
      return { lost: 'request', requestDelayMs: rule.delayMs === 0 ? UNANSWERED_MS : rule.delayMs };
    case 'resp_lost':
      return { lost: plan.lost ?? 'reply', replyDelayMs: plan.replyDelayMs + rule.delayMs };
    case 'req_delay':
      return { requestDelayMs: plan.requestDelayMs + rule.delayMs };
    case 'resp_delay':
      return { replyDelayMs: plan.replyDelayMs + rule.delayMs };
    case 'dup_deliver':
      return { deliveries: 2 };
    case 'reset_mid_body':
      return { cutBody: true };
    // The gateway gives up while the venue still carries out the request.
    case 'html_5xx':
      return { replyAfterwards: html(502, 'Bad Gateway') };
    case 'html_404':
      return { replyInstead: html(404, 'Not Found') };
    case 'html_503':
      return { replyInstead: html(503, 'Service Unavailable') };
    case 'redirect':
      return { replyInstead: redirection(rule.argument) };
    case 'gzip_bomb':
      return { replyAfterwards: gzipBomb() };
    default:
      return undefined;
  }
}

function venueFault(plan: FaultPlan, rule: FaultRule): Partial<FaultPlan> {
  switch (rule.name) {
    case '500_after':
      return { replyAfterwards: jsonReply(INTERNAL_ERROR) };
    case '500_before':
      return { replyInstead: jsonReply(INTERNAL_ERROR) };
    case '423':
      return { replyInstead: jsonReply(rejection('locked')) };
    case '429':
      return { replyInstead: jsonReply(TRADING_LIMIT_REACHED) };
    case 'reject':
      return { replyInstead: refusal(rule.argument) };
    case 'id_burn':
      return { replyInstead: refusal(rule.argument || 'Params error'), burnsId: true };
    case 'async_refuse':
      return { placementOutcomes: [...plan.placementOutcomes, 'refuse'] };
    case 'nonatomic_id':
      return { placementOutcomes: [...plan.placementOutcomes, 'twice'] };
    case 'read_lag':
    case 'stale_list':
      return { readLagMs: Math.max(plan.readLagMs, rule.delayMs) };
    case 'liq':
    case 'sl_race':
    case 'delist':
    case 'lev_unset':
    case 'manual_op':
    case 'funding':
      return { adminActions: [...plan.adminActions, rule] };
    default:
      return { edits: [...plan.edits, editOf(rule)] };
  }
}

function editOf({ name, argument }: FaultRule): edits.ReplyEdit {
  switch (name) {
    case 'null_blip':
      return edits.nullData;
    case 'sticky_partial':
      return edits.stickyPartial;
    case 'wrong_amount':
      return edits.wrongAmount;
    case 'hide_syscancel':
      return edits.hideSystemCancelled;
    case 'zero_ohlc':
      return edits.zeroLastCandle;
    case 'price_spike':
      return edits.spikeLastCandle(Number(argument || DEFAULT_SPIKE));
    default:
      return (reply) => reply;
  }
}

const refusal = (text: string): HttpReply => jsonReply(failure(statusOfText(text), text));

/** Reply of `redirect(307 http://127.0.0.1:9/)`; both parts of the argument are optional. */
function redirection(argument: string): HttpReply {
  const [status = '', location = UNREACHABLE_URL] = argument.split(' ');
  const headers = { location, 'content-type': 'text/plain; charset=utf-8' };
  return { status: Number(status || 307), headers, body: '' };
}

let packedBomb: Uint8Array | undefined;

/** A well-formed answer of 32 KiB on the wire and 32 MiB once unpacked. */
function gzipBomb(): HttpReply {
  packedBomb ??= gzipSync(`{"success":true,"data":"${'0'.repeat(BOMB_BYTES)}"}`, { level: 9 });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: '',
    bytes: packedBomb,
  };
}

const html = (status: number, title: string): HttpReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>`,
});
