import type { ControlId } from './control-id.js';

/**
 * - `cautious`: every control refuses, with tighter limits than `standard`.
 * - `standard`: every control refuses.
 * - `research`: controls are evaluated and counted, and do not refuse. For sandbox, paper, backtests.
 * - `none`: no control is evaluated. Backtests only.
 */
export const PRESETS = ['cautious', 'standard', 'research', 'none'] as const;
export type PresetName = (typeof PRESETS)[number];

/** No limits, so that `research` enforces them too: venue rules, unexplained exposure, kill switch, mode. */
const ALWAYS_ENFORCED: ReadonlySet<ControlId> = new Set<ControlId>(['R07', 'R22', 'R30', 'mode']);

/** Whether the preset refuses orders beyond its limits. */
export const enforcesLimits = (preset: PresetName): boolean =>
  preset === 'standard' || preset === 'cautious';

/** Whether a breach of the control refuses the order under this preset. */
export const enforces = (preset: PresetName, control: ControlId): boolean =>
  enforcesLimits(preset) || (preset === 'research' && ALWAYS_ENFORCED.has(control));
