import type { FaultPlace } from './fault-names.js';
import { planWith, UNTOUCHED, type FaultPlan } from './fault-plan.js';
import { concerns, concernsStream, faultWire, type FaultRule } from './fault-rules.js';
import { hashPair, mix, unit } from './integer-hash.js';
import type { WireValue } from './wire-json.js';

export type { FaultPlan } from './fault-plan.js';

export interface FaultInjector {
  /** Counts begin anew. */
  set(rules: readonly FaultRule[]): void;
  /** What befalls a request. */
  plan(method: string, path: string): FaultPlan;
  /** Whether any rule is about the feed: if not, `push` need not be asked. */
  readonly hasFeed: boolean;
  /** What befalls one frame on its way to one connection. */
  push(stream: string): readonly FaultRule[];
  /** Whether a handshake is refused as one too many. */
  refusesConnection(): boolean;
  /** What happens at the venue by this time, each once. Venue ms. */
  due(nowMs: number): readonly FaultRule[];
  list(): WireValue;
}

interface ArmedRule {
  readonly rule: FaultRule;
  /** Venue ms of a `CLOCK` rule. */
  readonly dueMs: number;
  matched: number;
  struck: number;
}

const NONE: readonly FaultRule[] = [];

/**
 * Faults strike by a hash of (seed, rule, how many requests it matched): the same run, the same faults.
 * `nowMs` is the venue's time, which relative times count from when a list is set.
 */
export function createFaults(
  seed: number,
  initial: readonly FaultRule[],
  nowMs: () => number = () => 0,
): FaultInjector {
  let armed: readonly ArmedRule[] = [];
  const held = new Set<FaultPlace>();

  const set = (rules: readonly FaultRule[]): void => {
    armed = rules.map((rule) => ({ rule, dueMs: dueOf(rule, nowMs()), matched: 0, struck: 0 }));
    held.clear();
    for (const { place } of rules) held.add(place);
  };

  const strikes = (one: ArmedRule, index: number): boolean => {
    if (one.struck >= one.rule.count) return false;
    one.matched += 1;
    const draw = unit(hashPair(hashPair(mix(seed), index), one.matched));
    if (draw >= one.rule.probability) return false;
    one.struck += 1;
    return true;
  };

  const struckBy = (place: FaultPlace, isMeant: (one: ArmedRule) => boolean) =>
    held.has(place)
      ? armed.filter((one, index) => isMeant(one) && strikes(one, index)).map((one) => one.rule)
      : NONE;

  set(initial);
  return {
    set,
    plan: (method, path) =>
      struckBy('request', ({ rule }) => concerns(rule, method, path)).reduce(planWith, UNTOUCHED),
    get hasFeed() {
      return held.has('feed');
    },
    push: (stream) =>
      struckBy('feed', ({ rule }) => rule.name !== 'ws_429' && concernsStream(rule, stream)),
    refusesConnection: () => struckBy('feed', ({ rule }) => rule.name === 'ws_429').length > 0,
    due: (untilMs) => struckBy('clock', ({ rule, dueMs }) => isClock(rule) && dueMs <= untilMs),
    list: () => armed.map((one) => faultWire(one.rule, one.struck)),
  };
}

const isClock = (rule: FaultRule): boolean => rule.place === 'clock';

function dueOf({ at }: FaultRule, nowMs: number): number {
  if (at === undefined) return Infinity;
  return at.isRelative ? nowMs + at.ms : at.ms;
}
