import type { FaultRule } from './fault-rules.js';
import { gzipBomb } from './gzip-bomb.js';
import { failure, INTERNAL_ERROR, jsonReply, type HttpReply } from './http-message.js';
import { TRADING_LIMIT_REACHED } from './rate-limits.js';
import { rejection, statusOfText } from './rejection-text.js';
import * as edits from './reply-edits.js';

/** What befalls one request. */
export interface FaultPlan {
  /** Names of the faults that struck, in list order. */
  readonly struck: readonly string[];
  /** Before it is delivered: a late landing. */
  readonly requestDelayMs: number;
  /** After it was handled. */
  readonly replyDelayMs: number;
  /** Which way the connection breaks without an answer; half-open, it does not even break. */
  readonly lost: 'request' | 'reply' | undefined;
  readonly deliveries: number;
  /** What happens at the venue just before. */
  readonly acts: readonly FaultRule[];
  /** Instead of handling it. */
  readonly instead: HttpReply | undefined;
  /** Instead of the answer to it, once handled. */
  readonly afterwards: HttpReply | undefined;
  /** Its client order id is used up by the refusal. */
  readonly burnsId: boolean;
  /** What becomes of an order that it places. */
  readonly afterPlacing: readonly ('refuse' | 'twice')[];
  /** Changes to the body of a good answer. */
  readonly edits: readonly edits.ReplyEdit[];
  /** Reads see the venue as it was so many real ms ago. */
  readonly readLagMs: number;
  readonly cutBody: boolean;
}

export const UNTOUCHED: FaultPlan = {
  struck: [],
  requestDelayMs: 0,
  replyDelayMs: 0,
  lost: undefined,
  deliveries: 1,
  acts: [],
  instead: undefined,
  afterwards: undefined,
  burnsId: false,
  afterPlacing: [],
  edits: [],
  readLagMs: 0,
  cutBody: false,
};

/** A day: the answer comes when nobody waits any more. */
const FOR_EVER_MS = 86_400_000;
const USUAL_SPIKE = 2;
const NOWHERE = 'http://elsewhere.invalid/';

/** A plan with one more fault in it. */
export function planWith(before: FaultPlan, rule: FaultRule): FaultPlan {
  const plan = { ...before, struck: [...before.struck, rule.name] };
  return { ...plan, ...(onTheWay(plan, rule) ?? atTheVenue(plan, rule)) };
}

/** Faults of the network between; undefined for any other. */
function onTheWay(plan: FaultPlan, rule: FaultRule): Partial<FaultPlan> | undefined {
  switch (rule.name) {
    case 'req_lost':
      return { lost: 'request', requestDelayMs: plan.requestDelayMs + rule.delayMs };
    case 'half_open':
      return { lost: 'request', requestDelayMs: rule.delayMs === 0 ? FOR_EVER_MS : rule.delayMs };
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
    // A gateway gives up on a request that the venue still carries out.
    case 'html_5xx':
      return { afterwards: html(502, 'Bad Gateway') };
    case 'html_404':
      return { instead: html(404, 'Not Found') };
    case 'redirect':
      return { instead: redirection(rule.argument) };
    case 'gzip_bomb':
      return { afterwards: gzipBomb() };
    default:
      return undefined;
  }
}

function atTheVenue(plan: FaultPlan, rule: FaultRule): Partial<FaultPlan> {
  switch (rule.name) {
    case '500_after':
      return { afterwards: jsonReply(INTERNAL_ERROR) };
    case '500_before':
      return { instead: jsonReply(INTERNAL_ERROR) };
    case '423':
      return { instead: jsonReply(rejection('locked')) };
    case '429':
      return { instead: jsonReply(TRADING_LIMIT_REACHED) };
    case 'reject':
      return { instead: refusal(rule.argument) };
    case 'id_burn':
      return { instead: refusal(rule.argument || 'Params error'), burnsId: true };
    case 'async_refuse':
      return { afterPlacing: [...plan.afterPlacing, 'refuse'] };
    case 'nonatomic_id':
      return { afterPlacing: [...plan.afterPlacing, 'twice'] };
    case 'read_lag':
    case 'stale_list':
      return { readLagMs: Math.max(plan.readLagMs, rule.delayMs) };
    case 'liq':
    case 'sl_race':
    case 'delist':
    case 'lev_unset':
    case 'manual_op':
    case 'funding':
      return { acts: [...plan.acts, rule] };
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
      return edits.spikeLastCandle(Number(argument || USUAL_SPIKE));
    default:
      return (reply) => reply;
  }
}

const refusal = (text: string): HttpReply => jsonReply(failure(statusOfText(text), text));

/** Of `redirect(307 http://127.0.0.1:9/)`; both parts may be left out. */
function redirection(argument: string): HttpReply {
  const [status = '', location = NOWHERE] = argument.split(' ');
  const headers = { location, 'content-type': 'text/plain; charset=utf-8' };
  return { status: Number(status || 307), headers, body: '' };
}

const html = (status: number, title: string): HttpReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>`,
});
