import { z } from 'zod';
import { enforcesLimits, PRESETS, type PresetName } from '../preset.js';
import type { RiskSettings } from '../limits/risk-config.js';
import { PRESET_LIMITS } from '../limits/risk-limits.js';
import { LIMIT_ENTRIES, type Loosening } from './limit-catalog.js';
import { isLooser } from './limit-entry.js';

/** Effective limits as text, as a state folder keeps them. */
export interface LimitsRecord {
  readonly preset: PresetName;
  /** Keys that the configuration sets; the others have the preset's value. */
  readonly given: readonly string[];
  /** Values by key, as the block writes them; null: no limit. */
  readonly limits: Readonly<Record<string, string | null>>;
}

export const limitsRecordSchema: z.ZodType<LimitsRecord> = z.object({
  preset: z.enum(PRESETS),
  given: z.array(z.string()),
  limits: z.record(z.string(), z.string().nullable()),
});

/** @param given keys that the configuration sets, with dots */
export const limitsRecord = (
  { preset, limits }: RiskSettings,
  given: ReadonlySet<string>,
): LimitsRecord => ({
  preset,
  given: [...given].sort(),
  limits: Object.fromEntries(LIMIT_ENTRIES.map(({ key, read }) => [key, read(limits) ?? null])),
});

/** The limits of a preset alone. */
export const presetRecord = (preset: PresetName): LimitsRecord =>
  limitsRecord({ preset, limits: PRESET_LIMITS[preset] }, new Set());

/**
 * The limits that allow more than before. Not compared are a limit that the earlier version did not have, and
 * one that no configuration sets, before or after: the new version chose its value.
 */
export const loosenedSince = (before: LimitsRecord, after: LimitsRecord): readonly Loosening[] => [
  ...presetLoosening(before.preset, after.preset),
  ...LIMIT_ENTRIES.flatMap((entry): readonly Loosening[] => {
    const [was, is] = [before.limits[entry.key], after.limits[entry.key]];
    if (was === undefined || is === undefined) return [];
    const isDefault = before.preset === after.preset && !isGiven(before, entry.key);
    if (isDefault && !isGiven(after, entry.key)) return [];
    const values = { before: was ?? undefined, after: is ?? undefined };
    const looser = isLooser(entry, values.before, values.after);
    return looser ? [{ key: entry.key, unit: entry.unit, ...values }] : [];
  }),
];

/** `max_order_qty.BTCUSDT` sets `max_order_qty`, and `loss_streak: off` sets its members. */
const isGiven = ({ given }: LimitsRecord, key: string): boolean =>
  given.some((each) => `${each}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${each}.`));

const presetLoosening = (before: PresetName, after: PresetName): readonly Loosening[] =>
  enforcesLimits(before) && !enforcesLimits(after)
    ? [{ key: 'preset', before, after, unit: '' }]
    : [];
