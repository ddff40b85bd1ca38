import { Decimal } from './decimal.js';
import {
  fixed,
  fixedFromNumber,
  SCALE,
  type Price,
  type Quantity,
  type Ratio,
  type Usdt,
} from './fixed.js';

/** A linear perpetual: margined in USDT or INR, priced in USDT, counted in the base asset. */
export interface Instrument {
  /** Trading symbol, upper case: BTCUSDT. */
  readonly symbol: string;
  /** The venue's own id of it. */
  readonly assetId: string;
  readonly baseAsset: string;
  readonly quantityStep: Quantity;
  readonly minQuantity: Quantity;
  readonly maxQuantity: Quantity;
  /** Upper bound of one market order. */
  readonly maxMarketQuantity: Quantity;
  readonly priceStep: Price;
  readonly minPrice: Price;
  readonly maxPrice: Price;
  readonly minNotional: Usdt;
  readonly leverageStep: Ratio;
  readonly minLeverage: Ratio;
  readonly maxLeverage: Ratio;
}

/**
 * A model's number onto a step, once: its shortest decimal text, snapped to a step that lies within
 * 1e-9 of it, then toward zero. So 0.3 / 0.1 is 3 steps of 0.1, and 0.29 is 2.
 *
 * @throws RangeError for NaN, infinity, or a value out of range
 */
export function quantize(value: number, instrument: Instrument): Quantity {
  return toStep(value, instrument.quantityStep) as Quantity;
}

/**
 * A model's price onto the price step: `down`, `up` or `nearest`. Snapped first, like `quantize`.
 * @throws RangeError for NaN, infinity, or a value out of range
 */
export function quantizePrice(
  value: number,
  instrument: Instrument,
  direction: 'down' | 'up' | 'nearest',
): Price {
  if (direction === 'nearest') {
    const step = instrument.priceStep;
    return fixed(Math.round(fixedFromNumber<'price'>(value) / step) * step);
  }
  const floored = toStep(value, instrument.priceStep);
  const below = direction === 'up' && floored < fixedFromNumber<'price'>(value);
  return fixed(below ? floored + instrument.priceStep : floored);
}

/** 1e-9 in units of 1e-8. */
const SNAP_SCALED = 0.1;
/** Relative: text, product and quotient are each half a unit of the last place off, together 3 × 2^-53. */
const ERROR_OF_DOUBLES = 4 * Number.EPSILON;

function toStep(value: number, step: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  const steps = (value * SCALE) / step;
  const nearest = Math.round(steps);
  const beyondSnap = Math.abs(steps - nearest) - SNAP_SCALED / step;
  // Doubles decide where no error of theirs can change the answer; a decimal in the little that is left.
  if (Math.abs(beyondSnap) <= Math.abs(steps) * ERROR_OF_DOUBLES)
    return toStepByDecimal(value, step);
  return fixed((beyondSnap < 0 ? nearest : Math.trunc(steps)) * step);
}

function toStepByDecimal(value: number, step: number): number {
  const scaled = new Decimal(value.toString()).times(SCALE);
  const steps = scaled.div(step);
  const nearest = steps.toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN);
  const isNear = scaled.minus(nearest.times(step)).abs().lte(SNAP_SCALED);
  const whole = isNear ? nearest : steps.toDecimalPlaces(0, Decimal.ROUND_DOWN);
  return fixed(whole.times(step).toNumber());
}
