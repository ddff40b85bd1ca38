import type { Mutant } from './mutant.js';

const LEDGER = 'src/execution/order/order-ledger.ts';
const COUNTED = '      const remaining = order.remaining;\n      if (order.terms.reduceOnly)';
const without = (condition: string): string => `      if (${condition}) continue;\n${COUNTED}`;

/** What may still land, and the gate that counts it. */
export const EXPOSURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'forget in-flight exposure',
    file: LEDGER,
    from: COUNTED,
    to: without("order.state === 'sent'"),
    hazard: 'A14, J7',
  },
  {
    name: 'forget exposure of what is not proved',
    file: LEDGER,
    from: COUNTED,
    to: without("order.state === 'verifying'"),
    hazard: 'A4',
  },
  {
    name: 'quarantine releases exposure',
    file: LEDGER,
    from: COUNTED,
    to: without("order.state === 'quarantined'"),
    hazard: 'A4',
  },
  {
    name: 'forget what rests',
    file: LEDGER,
    from: COUNTED,
    to: without("order.state === 'accepted'"),
    hazard: 'A31',
  },
  {
    name: 'forget what waits for another try',
    file: LEDGER,
    from: COUNTED,
    to: without("order.state === 'retrying'"),
    hazard: 'A7',
  },
  {
    name: 'sells pay for buys',
    file: LEDGER,
    from: 'longest: add(position, bought),',
    to: 'longest: add(position, subtract(bought, sold)),',
    hazard: 'G5',
  },
];
