import type { Mutant } from './mutant.js';

const COUNTED = { in: 'OrderLedger.of', find: 'const remaining = order.remaining;' };
const without = (condition: string): string => `if (${condition}) continue;\n${COUNTED.find}`;

/** What may still land, and the gate that counts it. */
export const EXPOSURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'forget in-flight exposure',
    ...COUNTED,
    replace: without("order.state === 'sent'"),
    hazard: 'A14, J7',
  },
  {
    name: 'forget exposure of what is not proved',
    ...COUNTED,
    replace: without("order.state === 'verifying'"),
    hazard: 'A4',
  },
  {
    name: 'quarantine releases exposure',
    ...COUNTED,
    replace: without("order.state === 'quarantined'"),
    hazard: 'A4',
  },
  {
    name: 'forget what rests',
    ...COUNTED,
    replace: without("order.state === 'accepted'"),
    hazard: 'A31',
  },
  {
    name: 'forget what waits for another try',
    ...COUNTED,
    replace: without("order.state === 'retrying'"),
    hazard: 'A7',
  },
  {
    name: 'sells pay for buys',
    in: 'OrderLedger.of',
    find: 'maxPosition: add(larger(NONE, position), bought),',
    replace: 'maxPosition: add(larger(NONE, position), subtract(bought, sold)),',
    hazard: 'G5',
  },
];
