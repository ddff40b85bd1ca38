import { CONTROL_MUTANTS } from './control-mutants.js';
import { EXPOSURE_MUTANTS } from './exposure-mutants.js';
import { INSTRUCTION_MUTANTS } from './instruction-mutants.js';
import { JOURNAL_MUTANTS } from './journal-mutants.js';
import { LOOKING_MUTANTS } from './order-query-mutants.js';
import { LIMIT_MUTANTS } from './limit-mutants.js';
import type { Mutant } from './mutant.js';
import { PLACING_MUTANTS } from './order-submission-mutants.js';
import { RECONCILING_MUTANTS } from './reconciliation-mutants.js';
import { SCENARIO_MUTANTS } from './scenario-mutants.js';
import { WIRE_MUTANTS } from './wire-mutants.js';

/** Every mutant that must be found. */
export const MUTANTS: readonly Mutant[] = [
  ...PLACING_MUTANTS,
  ...LOOKING_MUTANTS,
  ...EXPOSURE_MUTANTS,
  ...JOURNAL_MUTANTS,
  ...WIRE_MUTANTS,
  ...RECONCILING_MUTANTS,
  ...INSTRUCTION_MUTANTS,
  ...SCENARIO_MUTANTS,
  ...CONTROL_MUTANTS,
  ...LIMIT_MUTANTS,
];
