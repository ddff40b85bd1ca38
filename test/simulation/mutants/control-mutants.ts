import { CONTROLS } from '../../../src/risk/controls/table.js';
import type { Mutant } from './mutant.js';

/** Each control of the gate in turn is switched off; a new control is covered as soon as the table has it. */
export const CONTROL_MUTANTS: readonly Mutant[] = CONTROLS.map(({ id }) => ({
  name: `the gate has no ${id}`,
  in: 'createGate',
  find: 'CONTROLS.map',
  replace: `CONTROLS.filter(({ id }) => id !== '${id}').map`,
  hazard: 'P5',
  scenario: 'src/risk/controls/table.test.ts',
}));
