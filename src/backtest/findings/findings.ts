import { COST_RULES } from './cost-rules.js';
import { DATA_RULES } from './data-rules.js';
import type { FindingFacts, FindingRule, ResultFinding } from './finding.js';
import { HONESTY_RULES } from './honesty-rules.js';
import { PROFIT_RULES } from './profit-rules.js';
import { REALISM_RULES } from './realism-rules.js';
import { SAMPLE_RULES } from './sample-rules.js';

/** Rules about trades and their profit: a run without a fill has neither. */
const TRADE_RULES = [...REALISM_RULES, ...PROFIT_RULES, ...COST_RULES];

/** Every rule, in the order of the findings. */
export const RULES: readonly FindingRule[] = [
  ...HONESTY_RULES,
  ...DATA_RULES,
  ...TRADE_RULES,
  ...SAMPLE_RULES,
];

/** The reasons to doubt a result. */
export function findingsOf(facts: FindingFacts): readonly ResultFinding[] {
  const rules =
    facts.result.fills > 0 ? RULES : RULES.filter((rule) => !TRADE_RULES.includes(rule));
  return rules.flatMap(({ id, find }) => {
    const text = find(facts);
    return text === undefined ? [] : [{ id, text }];
  });
}
