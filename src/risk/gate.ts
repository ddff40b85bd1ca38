import { textFromFixed, type Fixed } from '../core/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { Breach, Control, ControlId, Values } from './control.js';
import { CONTROLS } from './controls/table.js';
import { readEvidence, type Evidence, type Phase } from './evidence.js';
import type { GateFacts } from './facts.js';
import type { RiskLimits } from './limits.js';
import { marginValues } from './margins.js';
import { enforces, type PresetName } from './preset.js';
import { RecentIntents } from './recent-intents.js';
import type { Approval, Approved, Refusal, Verdict } from './verdict.js';

/** How often each control spoke, for the summary that explains why nothing happened. */
export interface Tally {
  readonly approved: number;
  readonly refused: ReadonlyMap<ControlId, number>;
  /** `research` only. */
  readonly wouldRefuse: ReadonlyMap<ControlId, number>;
}

/** Intent in, approved or refused out. It never rewrites an order. */
export interface Gate {
  readonly preset: PresetName;
  readonly limits: RiskLimits;
  readonly tally: Tally;
  /** At decision time. The intent is counted on top of the exposure, and remembered if approved. */
  judge(intent: OrderIntent, facts: GateFacts): Verdict;
  /** At send time. The exposure already reserves the intent. */
  recheck(intent: OrderIntent, facts: GateFacts): Verdict;
  /** At start, for each intent of the journal: its decision has had its order. */
  remember(intent: OrderIntent): void;
}

export interface GateOptions {
  readonly preset: PresetName;
  readonly limits: RiskLimits;
}

export function createGate(options: GateOptions): Gate {
  const { preset, limits } = options;
  const recent = new RecentIntents();
  const refused = new Map<ControlId, number>();
  const wouldRefuse = new Map<ControlId, number>();
  const table = CONTROLS.map((control) => ({ control, enforced: enforces(preset, control.id) }));
  let approvedCount = 0;

  function conclude(intent: OrderIntent, facts: GateFacts, phase: Phase): Verdict {
    if (preset === 'none') return unjudged(intent);
    const evidence = readEvidence(intent, facts, phase);
    let recorded: Refusal | undefined;
    for (const { control, enforced } of table) {
      // One reason is enough: from here on only what enforces can still change the verdict.
      if (recorded !== undefined && !enforced) continue;
      const breach = control.judge(evidence, limits, recent);
      if (breach === undefined) continue;
      if (enforced) return refuse(control, breach, evidence);
      recorded = refusalOf(control, breach, seenOf(evidence));
    }
    return approve(evidence, recorded);
  }

  function refuse(control: Control, breach: Breach, evidence: Evidence): Refusal {
    count(refused, control.id);
    const { strategyId } = evidence.intent;
    const storm = control.id === 'R08' && recent.countDuplicate(strategyId, evidence.venueTime);
    return refusalOf(control, breach, seenOf(evidence), storm);
  }

  function approve(evidence: Evidence, recorded: Refusal | undefined): Approval {
    // Once an order: the second look, at its slot, meets the same limit.
    if (recorded !== undefined && evidence.phase === 'decide') {
      count(wouldRefuse, recorded.control);
    }
    return new JudgedApproval(seenOf(evidence), recorded);
  }

  const seenOf = (evidence: Evidence): Seen => ({ evidence, limits });

  return {
    preset,
    limits,
    tally: {
      get approved() {
        return approvedCount;
      },
      refused,
      wouldRefuse,
    },
    judge(intent, facts) {
      const verdict = conclude(intent, facts, 'decide');
      if (!verdict.ok) return verdict;
      approvedCount += 1;
      if (preset !== 'none') recent.remember(intent, facts.venueTime);
      return verdict;
    },
    recheck: (intent, facts) => conclude(intent, facts, 'send'),
    remember(intent) {
      recent.remember(intent, intent.decidedAt);
    },
  };
}

/** The only place where the brand is given. */
const brand = (intent: OrderIntent): Approved<OrderIntent> => intent as Approved<OrderIntent>;

const ALL_CHECKS: readonly ControlId[] = CONTROLS.map(({ id }) => id);
const NO_CHECKS: readonly ControlId[] = [];
const NO_VALUES: Values = {};

const unjudged = (intent: OrderIntent): Approval => ({
  ok: true,
  approved: brand(intent),
  checks: NO_CHECKS,
  wouldRefuse: undefined,
  explain: () => 'approved without a check (preset none)',
  values: () => NO_VALUES,
});

/** What a judgement stood on. */
interface Seen {
  readonly evidence: Evidence;
  readonly limits: RiskLimits;
}

/** A class, since most intents pass: no closure is made for a text that nobody asks for. */
class JudgedApproval implements Approval {
  readonly ok = true;
  readonly approved: Approved<OrderIntent>;
  readonly checks: readonly ControlId[];
  readonly wouldRefuse: Refusal | undefined;
  readonly #seen: Seen;

  constructor(seen: Seen, wouldRefuse: Refusal | undefined) {
    this.approved = brand(seen.evidence.intent);
    this.checks = wouldRefuse === undefined ? ALL_CHECKS : NO_CHECKS;
    this.wouldRefuse = wouldRefuse;
    this.#seen = seen;
  }

  explain(): string {
    const { checks, wouldRefuse } = this;
    if (wouldRefuse === undefined) return `approved by ${checks.length} controls`;
    return `approved; ${wouldRefuse.control} is not enforced: ${wouldRefuse.explain()}`;
  }

  values(): Values {
    return seenValues(this.#seen);
  }
}

function refusalOf(control: Control, breach: Breach, seen: Seen, stopStrategy = false): Refusal {
  const { id, key, clock } = control;
  return {
    ok: false,
    control: id,
    key,
    clock,
    stopStrategy,
    explain: () => `${breach.explain()} (${key})`,
    values: () => ({ ...breach.values(), ...seenValues(seen) }),
  };
}

function count(counts: Map<ControlId, number>, control: ControlId): void {
  counts.set(control, (counts.get(control) ?? 0) + 1);
}

const seenValues = ({ evidence, limits }: Seen): Values => ({
  ...factValues(evidence),
  ...marginValues(evidence, limits),
});

/** Absent where unknown: a journal must not show a 0 that nobody saw. */
function factValues(evidence: Evidence): Values {
  const values: Record<string, string> = {};
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined) values[name] = value;
  };
  const decimal = (value: Fixed | undefined) =>
    value === undefined ? undefined : textFromFixed(value);
  put('fact_mode', evidence.mode);
  put('fact_last', decimal(evidence.last));
  put('fact_last_age_ms', evidence.lastAgeMs?.toString());
  put('fact_mark', decimal(evidence.mark));
  put('fact_mark_age_ms', evidence.markAgeMs?.toString());
  put('fact_orders_age_ms', evidence.ordersAgeMs?.toString());
  put('fact_positions_age_ms', evidence.positionsAgeMs?.toString());
  put('fact_wallet_age_ms', evidence.walletAgeMs?.toString());
  put('fact_equity_usdt', decimal(evidence.equityUsdt));
  put('fact_position', decimal(evidence.position));
  put('fact_longest', decimal(evidence.longest));
  put('fact_shortest', decimal(evidence.shortest));
  put('fact_orders', evidence.symbolOrders.toString());
  put('fact_account_orders', evidence.accountOrders.toString());
  put('fact_leverage', decimal(evidence.leverage));
  return values;
}
