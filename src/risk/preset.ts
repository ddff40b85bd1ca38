import type { ControlId } from './control.js';

/**
 * - `standard`: every control refuses.
 * - `research`: controls are judged and counted, and do not refuse. For sandbox, paper, backtests.
 * - `none`: nothing is judged. Backtests only.
 */
export type PresetName = 'standard' | 'research' | 'none';
export const PRESETS: readonly PresetName[] = ['standard', 'research', 'none'];

/** No limits but facts: the venue's rules, the operator's word, what the protocol can vouch for and what nobody does. */
const ALWAYS: ReadonlySet<ControlId> = new Set<ControlId>(['R07', 'R22', 'R30', 'mode']);

/** Whether a breach of the control refuses the order under a preset that judges. */
export const enforces = (preset: PresetName, control: ControlId): boolean =>
  preset === 'standard' || (preset === 'research' && ALWAYS.has(control));
