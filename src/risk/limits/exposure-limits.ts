import type { z } from 'zod';
import { fixedFromText, type Ratio } from '../../core/fixed/fixed.js';
import type { PresetName } from '../preset.js';
import { percent } from './limit-values.js';

/** Limits across symbols. Shares are fractions of the equity in the order's currency. */
export interface ExposureLimits {
  /** R13: sum of the absolute notionals of all worst positions, and of their signed sum. */
  readonly maxGrossShare: Ratio;
  readonly maxNetShare: Ratio;
  /** R14: margin of positions and open orders, as a share of balance + locked. */
  readonly maxMarginShare: Ratio;
  /** R16: distance from the mark price to the liquidation price, as a fraction of the mark. */
  readonly minLiquidationDistance: Ratio;
}

const standard: ExposureLimits = {
  maxGrossShare: fixedFromText('1.5'),
  maxNetShare: fixedFromText('1.5'),
  maxMarginShare: fixedFromText('0.6'),
  minLiquidationDistance: fixedFromText('0.08'),
};

export const EXPOSURE_LIMITS: Readonly<Record<PresetName, ExposureLimits>> = {
  cautious: {
    maxGrossShare: fixedFromText('1'),
    maxNetShare: fixedFromText('1'),
    maxMarginShare: fixedFromText('0.4'),
    minLiquidationDistance: fixedFromText('0.15'),
  },
  standard,
  research: standard,
  none: standard,
};

export const exposureKeys = {
  max_gross_exposure_pct: percent('5').optional(),
  max_net_exposure_pct: percent('5').optional(),
  max_margin_utilisation_pct: percent('2', '100').optional(),
  min_liq_distance_pct: percent('1', '100').optional(),
};

type Keys = z.infer<z.ZodObject<typeof exposureKeys>>;

export const exposureLimits = (keys: Keys, base: ExposureLimits): ExposureLimits => ({
  maxGrossShare: keys.max_gross_exposure_pct ?? base.maxGrossShare,
  maxNetShare: keys.max_net_exposure_pct ?? base.maxNetShare,
  maxMarginShare: keys.max_margin_utilisation_pct ?? base.maxMarginShare,
  minLiquidationDistance: keys.min_liq_distance_pct ?? base.minLiquidationDistance,
});
