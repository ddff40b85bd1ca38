import type { ControlId } from './control.js';
import type { Mode } from './mode.js';

/** Controls whose reason is over in a moment: data that is too old, a window, orders that end. */
const PASSING: ReadonlySet<ControlId> = new Set<ControlId>(['R05', 'R06', 'R08', 'R10']);

/**
 * Whether a refusal is for a reason that passes by itself. A reason of substance (a size, a limit, a
 * person's word) does not.
 */
export const isPassing = (control: ControlId, mode: Mode): boolean =>
  PASSING.has(control) || (control === 'mode' && (mode === 'STARTING' || mode === 'RECONCILING'));
