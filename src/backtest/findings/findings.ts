import { COST_RULES } from './cost-rules.js';
import { DATA_RULES } from './data-rules.js';
import type { FindingFacts, FindingRule, ResultFinding } from './finding.js';
import { HONESTY_RULES } from './honesty-rules.js';
import { PROFIT_RULES } from './profit-rules.js';
import { REALISM_RULES } from './realism-rules.js';
import { SAMPLE_RULES } from './sample-rules.js';

/** Every rule, in the order of the findings. */
export const RULES: readonly FindingRule[] = [
  ...HONESTY_RULES,
  ...DATA_RULES,
  ...REALISM_RULES,
  ...PROFIT_RULES,
  ...COST_RULES,
  ...SAMPLE_RULES,
];

/** The reasons to doubt a result. A run without a fill has none: its summary says why. */
export const findingsOf = (facts: FindingFacts): readonly ResultFinding[] =>
  facts.result.fills === 0
    ? []
    : RULES.flatMap(({ id, find }) => {
        const text = find(facts);
        return text === undefined ? [] : [{ id, text }];
      });
