import { textFromFixed, type Fixed } from '../core/fixed/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { Breach, Control } from './control.js';
import type { ControlId } from './control-id.js';
import { fundingWarning } from './controls/market.js';
import { CONTROLS } from './controls/table.js';
import { collectEvidence, type Evidence, type Phase } from './evidence.js';
import type { GateFacts } from './facts.js';
import type { RiskLimits } from './limits/risk-limits.js';
import { addComparisons } from './limit-comparisons.js';
import { enforces, type PresetName } from './preset.js';
import { RecentIntents } from './recent-intents.js';
import type { Approval, Approved, Refusal, Verdict } from './verdict.js';

/** Approvals, and refusals by control, for the summary of a run. */
export interface Tally {
  readonly approved: number;
  readonly refused: ReadonlyMap<ControlId, number>;
  /** `research` only. */
  readonly wouldRefuse: ReadonlyMap<ControlId, number>;
}

/** Approves or refuses intents. It never changes an order. */
export interface Gate {
  readonly preset: PresetName;
  /** In force now. */
  readonly limits: RiskLimits;
  /** From the next check on. */
  setLimits(limits: RiskLimits): void;
  readonly tally: Tally;
  /** Check at decision time: counts the intent on top of the exposure, and remembers it if approved. */
  judge(intent: OrderIntent, facts: GateFacts): Verdict;
  /** Check at send time: the exposure already includes the intent. */
  recheck(intent: OrderIntent, facts: GateFacts): Verdict;
  /** Approved entries after a venue time. */
  entriesSince(venueTime: number): number;
  /** Refused duplicates of a strategy within the minute before a venue time (R08). */
  duplicates(strategyId: string, venueTime: number): number;
  /** Called at start for each intent in the journal: its decision has had its order. */
  remember(intent: OrderIntent): void;
}

export interface GateOptions {
  readonly preset: PresetName;
  readonly limits: RiskLimits;
}

export function createGate(options: GateOptions): Gate {
  const { preset } = options;
  let { limits } = options;
  const recent = new RecentIntents();
  const refused = new Map<ControlId, number>();
  const wouldRefuse = new Map<ControlId, number>();
  const table = CONTROLS.map((control) => ({ control, enforced: enforces(preset, control.id) }));
  let approvedCount = 0;

  function evaluate(intent: OrderIntent, facts: GateFacts, phase: Phase): Verdict {
    if (preset === 'none') return new UncheckedApproval(intent);
    const evidence = collectEvidence(intent, facts, phase, recent);
    let recorded: Refusal | undefined;
    for (const { control, enforced } of table) {
      // One recorded reason is enough: only an enforced control can still change the verdict.
      if (recorded !== undefined && !enforced) continue;
      const breach = control.judge(evidence, limits, recent);
      if (breach === undefined) continue;
      if (enforced) return refuse(control, breach, evidence);
      recorded = refusalOf(control, breach, judgedFactsOf(evidence));
    }
    return approve(evidence, recorded);
  }

  function refuse(control: Control, breach: Breach, evidence: Evidence): Refusal {
    count(refused, control.id);
    const { strategyId } = evidence.intent;
    const isStorm = control.id === 'R08' && recent.countDuplicate(strategyId, evidence.venueTime);
    return refusalOf(control, breach, judgedFactsOf(evidence), isStorm);
  }

  function approve(evidence: Evidence, recorded: Refusal | undefined): Approval {
    // Counted once per order: the check at send time meets the same limit.
    if (recorded !== undefined && evidence.phase === 'decide') {
      count(wouldRefuse, recorded.control);
    }
    return new JudgedApproval(judgedFactsOf(evidence), recorded);
  }

  const judgedFactsOf = (evidence: Evidence): JudgedFacts => ({ evidence, limits });

  return {
    preset,
    get limits() {
      return limits;
    },
    setLimits(next) {
      limits = next;
    },
    tally: {
      get approved() {
        return approvedCount;
      },
      refused,
      wouldRefuse,
    },
    judge(intent, facts) {
      const verdict = evaluate(intent, facts, 'decide');
      if (!verdict.ok) return verdict;
      approvedCount += 1;
      if (preset !== 'none') recent.remember(intent, facts.venueTime);
      return verdict;
    },
    recheck: (intent, facts) => evaluate(intent, facts, 'send'),
    entriesSince: (venueTime) => recent.entriesSince(venueTime),
    duplicates: (strategyId, venueTime) => recent.duplicates(strategyId, venueTime),
    remember(intent) {
      recent.remember(intent, intent.decidedAt);
    },
  };
}

/** The only function that gives the brand. */
const brand = (intent: OrderIntent): Approved<OrderIntent> => intent as Approved<OrderIntent>;

const ALL_CHECKS: readonly ControlId[] = CONTROLS.map(({ id }) => id);
const NO_CHECKS: readonly ControlId[] = [];

class UncheckedApproval implements Approval {
  readonly ok = true;
  readonly approved: Approved<OrderIntent>;
  readonly checks = NO_CHECKS;
  readonly wouldRefuse = undefined;

  constructor(intent: OrderIntent) {
    this.approved = brand(intent);
  }

  explain(): string {
    return 'approved without a check (preset none)';
  }

  warning(): undefined {
    return undefined;
  }

  values(): Record<string, string> {
    return {};
  }
}

/** Inputs of a verdict. */
interface JudgedFacts {
  readonly evidence: Evidence;
  readonly limits: RiskLimits;
}

/** A class, because most intents pass: it needs no closures for texts that are rarely read. */
class JudgedApproval implements Approval {
  readonly ok = true;
  readonly approved: Approved<OrderIntent>;
  readonly checks: readonly ControlId[];
  readonly wouldRefuse: Refusal | undefined;
  readonly #facts: JudgedFacts;

  constructor(facts: JudgedFacts, wouldRefuse: Refusal | undefined) {
    this.approved = brand(facts.evidence.intent);
    this.checks = wouldRefuse === undefined ? ALL_CHECKS : NO_CHECKS;
    this.wouldRefuse = wouldRefuse;
    this.#facts = facts;
  }

  explain(): string {
    const { checks, wouldRefuse } = this;
    if (wouldRefuse === undefined) return `approved by ${checks.length} controls`;
    return `approved; ${wouldRefuse.control} is not enforced: ${wouldRefuse.explain()}`;
  }

  warning(): string | undefined {
    const { evidence, limits } = this.#facts;
    return fundingWarning(evidence, limits)?.explain();
  }

  values(): Record<string, string> {
    return withJudged({}, this.#facts);
  }
}

function refusalOf(
  control: Control,
  breach: Breach,
  facts: JudgedFacts,
  stopStrategy = false,
): Refusal {
  const { id, key, clock } = control;
  return {
    ok: false,
    control: id,
    key,
    clock,
    stopStrategy,
    explain: () => `${breach.explain()} (${breach.key ?? key})`,
    values: () => withJudged({ ...breach.values() }, facts),
  };
}

function count(counts: Map<ControlId, number>, control: ControlId): void {
  counts.set(control, (counts.get(control) ?? 0) + 1);
}

/** Adds the facts of a check and the margins of its controls: some 60 values, which no spread copies. */
function withJudged(
  values: Record<string, string>,
  { evidence, limits }: JudgedFacts,
): Record<string, string> {
  addFacts(values, evidence);
  addComparisons(values, evidence, limits);
  return values;
}

/** Unknown facts are absent: the journal must not show a 0 in their place. */
function addFacts(values: Record<string, string>, evidence: Evidence): void {
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
  put('fact_longest', decimal(evidence.maxPosition));
  put('fact_shortest', decimal(evidence.minPosition));
  put('fact_orders', evidence.symbolOrders.toString());
  put('fact_account_orders', evidence.accountOrders.toString());
  put('fact_leverage', decimal(evidence.leverage));
}
