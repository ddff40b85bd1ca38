import type { OrderIntent } from '../core/intent.js';
import type { Margin } from './control.js';
import type { ControlId } from './control-id.js';
import { CONTROLS } from './controls/table.js';
import { collectEvidence } from './evidence.js';
import type { GateFacts } from './facts.js';
import type { RiskLimits } from './limits/risk-limits.js';
import { RecentIntents } from './recent-intents.js';

/** Judgement of one control on one order. */
export interface ControlJudgement {
  readonly control: ControlId;
  /** Key in the `risk:` block. */
  readonly key: string;
  /** Reason of its refusal; undefined: it passes. */
  readonly refusal: string | undefined;
  /** Its comparisons; empty if it compares nothing or a value is unknown. */
  readonly margins: readonly Margin[];
}

/**
 * Judges an order by every control, in the order of the gate. The gate itself stops at the first refusal. No
 * earlier order is known, so that R08 passes.
 */
export function judgeEach(
  intent: OrderIntent,
  facts: GateFacts,
  limits: RiskLimits,
): readonly ControlJudgement[] {
  const recent = new RecentIntents();
  const evidence = collectEvidence(intent, facts, 'decide', recent);
  return CONTROLS.map((control) => ({
    control: control.id,
    key: control.key,
    refusal: control.judge(evidence, limits, recent)?.explain(),
    margins: control.margins?.(evidence, limits) ?? [],
  }));
}
