import type { FindingRule } from './finding.js';

/** Rules about the strategy itself, found by `--check`. */
export const HONESTY_RULES: readonly FindingRule[] = [
  {
    id: 'look-ahead',
    when: 'a decision that knows the future, with `--check`',
    find: ({ checks }) => checks?.look_ahead.offence?.text,
  },
  {
    id: 'warm-up',
    when: 'a decision that a longer warm-up changes, with `--check`',
    find: ({ checks }) => checks?.warm_up.offence?.text,
  },
];
