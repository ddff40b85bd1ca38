import type { FaultScope } from './fault-names.js';
import { planWith, NO_FAULTS, type FaultPlan } from './fault-plan.js';
import { matchesRequest, matchesStream, faultWire, type FaultRule } from './fault-rules.js';
import { hashPair, mix, unit } from '../../core/integer-hash.js';
import type { WireValue } from '../http/wire-json.js';

export type { FaultPlan } from './fault-plan.js';

export interface FaultInjector {
  /** Replaces the rules and resets their counts. */
  set(rules: readonly FaultRule[]): void;
  /** The faults of a request. */
  plan(method: string, path: string): FaultPlan;
  /** Whether any rule concerns the feed; if not, callers skip `push`. */
  readonly hasFeed: boolean;
  /** The faults of one frame to one connection. */
  push(stream: string): readonly FaultRule[];
  /** Whether a handshake is refused with 429. */
  refusesConnection(): boolean;
  /** Clock faults due by this venue ms, each once. */
  due(nowMs: number): readonly FaultRule[];
  list(): WireValue;
}

interface ActiveRule {
  readonly rule: FaultRule;
  /** Due time of a `CLOCK` rule, venue ms. */
  readonly dueMs: number;
  matched: number;
  struck: number;
}

const NO_RULES: readonly FaultRule[] = [];

/**
 * Draws faults by a hash of (seed, rule, number of matched requests), so a run can be repeated.
 * `nowMs` is venue time; relative times count from the moment a list is set.
 */
export function createFaults(
  seed: number,
  initial: readonly FaultRule[],
  nowMs: () => number = () => 0,
): FaultInjector {
  let activeRules: readonly ActiveRule[] = [];
  const activeScopes = new Set<FaultScope>();

  const set = (rules: readonly FaultRule[]): void => {
    activeRules = rules.map((rule) => ({
      rule,
      dueMs: dueOf(rule, nowMs()),
      matched: 0,
      struck: 0,
    }));
    activeScopes.clear();
    for (const { scope } of rules) activeScopes.add(scope);
  };

  const strikes = (one: ActiveRule, index: number): boolean => {
    if (one.struck >= one.rule.count) return false;
    one.matched += 1;
    const draw = unit(hashPair(hashPair(mix(seed), index), one.matched));
    if (draw >= one.rule.probability) return false;
    one.struck += 1;
    return true;
  };

  const struckBy = (scope: FaultScope, matches: (one: ActiveRule) => boolean) =>
    activeScopes.has(scope)
      ? activeRules
          .filter((one, index) => matches(one) && strikes(one, index))
          .map((one) => one.rule)
      : NO_RULES;

  set(initial);
  return {
    set,
    plan: (method, path) =>
      struckBy('request', ({ rule }) => matchesRequest(rule, method, path)).reduce(
        planWith,
        NO_FAULTS,
      ),
    get hasFeed() {
      return activeScopes.has('feed');
    },
    push: (stream) =>
      struckBy('feed', ({ rule }) => rule.name !== 'ws_429' && matchesStream(rule, stream)),
    refusesConnection: () => struckBy('feed', ({ rule }) => rule.name === 'ws_429').length > 0,
    due: (untilMs) => struckBy('clock', ({ rule, dueMs }) => isClock(rule) && dueMs <= untilMs),
    list: () => activeRules.map((one) => faultWire(one.rule, one.struck)),
  };
}

const isClock = (rule: FaultRule): boolean => rule.scope === 'clock';

function dueOf({ at }: FaultRule, nowMs: number): number {
  if (at === undefined) return Infinity;
  return at.isRelative ? nowMs + at.ms : at.ms;
}
