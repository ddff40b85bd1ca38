import type { ControlId } from './control.js';

/**
 * - `standard`: every control refuses.
 * - `research`: controls are evaluated and counted, and do not refuse. For sandbox, paper, backtests.
 * - `none`: no control is evaluated. Backtests only.
 */
export type PresetName = 'standard' | 'research' | 'none';
export const PRESETS: readonly PresetName[] = ['standard', 'research', 'none'];

/** No limits, so that `research` enforces them too: venue rules, unexplained exposure, kill switch, mode. */
const ALWAYS_ENFORCED: ReadonlySet<ControlId> = new Set<ControlId>(['R07', 'R22', 'R30', 'mode']);

/** Whether a breach of the control refuses the order under this preset. */
export const enforces = (preset: PresetName, control: ControlId): boolean =>
  preset === 'standard' || (preset === 'research' && ALWAYS_ENFORCED.has(control));
