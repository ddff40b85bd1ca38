import { z } from 'zod';
import type { PresetName } from '../preset.js';
import { alwaysOn, positiveMs } from './limit-values.js';

/** Limits of positions and orders without supervision. */
export interface ProtectionLimits {
  /** R18: time without the stop that a position should have, monotonic ms. */
  readonly maxNakedMs: number;
  /** R22: an external hand on a symbol holds its entries, or is only logged. */
  readonly externalHand: 'hold' | 'warn';
  /** R31: silence of the daemon after which the supervisor cancels entries, monotonic ms. */
  readonly deadManMs: number;
  /** R33: age of a resting entry at which it is canceled, venue ms. */
  readonly maxOrderLifetimeMs: number;
}

const standard: ProtectionLimits = {
  maxNakedMs: 15_000,
  externalHand: 'hold',
  deadManMs: 120_000,
  maxOrderLifetimeMs: 86_400_000,
};

export const PROTECTION_LIMITS: Readonly<Record<PresetName, ProtectionLimits>> = {
  cautious: { ...standard, maxNakedMs: 5_000, deadManMs: 60_000 },
  standard,
  research: standard,
  none: standard,
};

export const protectionKeys = {
  max_naked_ms: positiveMs.optional(),
  foreign_hand: z.enum(['hold', 'warn']).optional(),
  self_cross: alwaysOn('self_cross').optional(),
  dead_man_ms: positiveMs.optional(),
  max_order_lifetime_ms: positiveMs.optional(),
};

type Keys = z.infer<z.ZodObject<typeof protectionKeys>>;

export const protectionLimits = (keys: Keys, base: ProtectionLimits): ProtectionLimits => ({
  maxNakedMs: keys.max_naked_ms ?? base.maxNakedMs,
  externalHand: keys.foreign_hand ?? base.externalHand,
  deadManMs: keys.dead_man_ms ?? base.deadManMs,
  maxOrderLifetimeMs: keys.max_order_lifetime_ms ?? base.maxOrderLifetimeMs,
});
