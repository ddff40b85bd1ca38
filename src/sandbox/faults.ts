import { concerns, faultWire, type FaultRule } from './fault-rules.js';
import { failure, INTERNAL_ERROR, jsonReply, type HttpReply } from './http-message.js';
import { hashPair, mix, unit } from './integer-hash.js';
import { TRADING_LIMIT_REACHED } from './rate-limits.js';
import { rejection, statusOfText } from './rejection-text.js';
import type { WireValue } from './wire-json.js';

/** What befalls one request. */
export interface FaultPlan {
  /** Names of the faults that struck, in list order. */
  readonly struck: readonly string[];
  /** Before it is delivered: a late landing. */
  readonly requestDelayMs: number;
  /** After it was handled. */
  readonly replyDelayMs: number;
  /** Which way the connection breaks without an answer. */
  readonly lost: 'request' | 'reply' | undefined;
  readonly deliveries: number;
  /** Instead of handling it. */
  readonly instead: HttpReply | undefined;
  /** Instead of the answer to it, once handled. */
  readonly afterwards: HttpReply | undefined;
  readonly nullData: boolean;
  /** Orders accepted less than so many real ms ago are not found. */
  readonly readLagMs: number;
  readonly cutBody: boolean;
}

export interface FaultInjector {
  set(rules: readonly FaultRule[]): void;
  plan(method: string, path: string): FaultPlan;
  /** Whether the connection that is about to be pushed to breaks instead. */
  dropsPush(): boolean;
  list(): WireValue;
}

const UNTOUCHED: FaultPlan = {
  struck: [],
  requestDelayMs: 0,
  replyDelayMs: 0,
  lost: undefined,
  deliveries: 1,
  instead: undefined,
  afterwards: undefined,
  nullData: false,
  readLagMs: 0,
  cutBody: false,
};

/** Faults strike by a hash of (seed, rule, how many requests it matched): the same run, the same faults. */
export function createFaults(seed: number, initial: readonly FaultRule[]): FaultInjector {
  let armed = arm(initial);

  const strikes = (one: ArmedRule, index: number): boolean => {
    if (one.struck >= one.rule.count) return false;
    one.matched += 1;
    const draw = unit(hashPair(hashPair(mix(seed), index), one.matched));
    if (draw >= one.rule.probability) return false;
    one.struck += 1;
    return true;
  };

  return {
    set(rules) {
      armed = arm(rules);
    },
    plan(method, path) {
      return armed.reduce((plan, one, index) => {
        if (one.rule.on === 'WS' || !concerns(one.rule, method, path)) return plan;
        return strikes(one, index) ? withFault(plan, one.rule) : plan;
      }, UNTOUCHED);
    },
    dropsPush: () => armed.some((one, index) => one.rule.on === 'WS' && strikes(one, index)),
    list: () => armed.map((one) => faultWire(one.rule, one.struck)),
  };
}

interface ArmedRule {
  readonly rule: FaultRule;
  matched: number;
  struck: number;
}

const arm = (rules: readonly FaultRule[]): ArmedRule[] =>
  rules.map((rule) => ({ rule, matched: 0, struck: 0 }));

function withFault(before: FaultPlan, rule: FaultRule): FaultPlan {
  const plan = { ...before, struck: [...before.struck, rule.name] };
  switch (rule.name) {
    case 'req_lost':
      return { ...plan, lost: 'request', requestDelayMs: plan.requestDelayMs + rule.delayMs };
    case 'resp_lost':
      return {
        ...plan,
        lost: plan.lost ?? 'reply',
        replyDelayMs: plan.replyDelayMs + rule.delayMs,
      };
    case 'req_delay':
      return { ...plan, requestDelayMs: plan.requestDelayMs + rule.delayMs };
    case 'resp_delay':
      return { ...plan, replyDelayMs: plan.replyDelayMs + rule.delayMs };
    case 'dup_deliver':
      return { ...plan, deliveries: 2 };
    case 'reset_mid_body':
      return { ...plan, cutBody: true };
    case 'null_blip':
      return { ...plan, nullData: true };
    case 'read_lag':
      return { ...plan, readLagMs: Math.max(plan.readLagMs, rule.delayMs) };
    // A gateway gives up on a request that the venue still carries out.
    case 'html_5xx':
      return { ...plan, afterwards: html(502, 'Bad Gateway') };
    case '500_after':
      return { ...plan, afterwards: jsonReply(INTERNAL_ERROR) };
    case 'html_404':
      return { ...plan, instead: html(404, 'Not Found') };
    case '500_before':
      return { ...plan, instead: jsonReply(INTERNAL_ERROR) };
    case '423':
      return { ...plan, instead: jsonReply(rejection('locked')) };
    case '429':
      return { ...plan, instead: jsonReply(TRADING_LIMIT_REACHED) };
    case 'reject':
      return { ...plan, instead: jsonReply(failure(statusOfText(rule.text), rule.text)) };
    case 'ws_drop':
      return plan;
  }
}

const html = (status: number, title: string): HttpReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>`,
});
