import { Decimal } from './decimal.js';
import {
  absolute,
  add,
  decimalFromFixed,
  FINEST_PLACES,
  fixedFromDecimal,
  fixedFromNumber,
  floorToStep,
  isLess,
  SCALE,
  subtract,
  times,
  type Fixed,
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
 * @throws RangeError for NaN or infinity
 */
export function quantize(value: number, instrument: Instrument): Quantity {
  return toStep(value, instrument.quantityStep);
}

/**
 * A model's price onto the price step: `down`, `up` or `nearest`. Snapped first, like `quantize`.
 * @throws RangeError for NaN or infinity
 */
export function quantizePrice(
  value: number,
  instrument: Instrument,
  direction: 'down' | 'up' | 'nearest',
): Price {
  const { priceStep } = instrument;
  if (direction === 'nearest') return toNearestStep(fixedFromNumber(value), priceStep);
  const floored = toStep(value, priceStep);
  const below = direction === 'up' && isLess(floored, fixedFromNumber<'price'>(value));
  return below ? add(floored, priceStep) : floored;
}

function toNearestStep(value: Price, step: Price): Price {
  if (typeof value === 'number' && typeof step === 'number') {
    return times(step, Math.round(value / step));
  }
  const below = floorToStep(value, step);
  const rest = absolute(subtract(value, below));
  const isNearer = isLess(rest, subtract(step, rest));
  return isNearer ? below : value < 0 ? subtract(below, step) : add(below, step);
}

/** 1e-9 in units of 1e-8. */
const SNAP_SCALED = 0.1;
/** Relative: text, product and quotient are each half a unit of the last place off, together 3 × 2^-53. */
const ERROR_OF_DOUBLES = 4 * Number.EPSILON;

function toStep<F extends Fixed>(value: number, step: F): F {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  if (typeof step !== 'number') return toStepByDecimal(value, step);
  const steps = (value * SCALE) / step;
  const nearest = Math.round(steps);
  const beyondSnap = Math.abs(steps - nearest) - SNAP_SCALED / step;
  // Doubles decide where no error of theirs can change the answer; a decimal in the little that is left.
  if (Math.abs(beyondSnap) <= Math.abs(steps) * ERROR_OF_DOUBLES)
    return toStepByDecimal(value, step);
  return times(step, beyondSnap < 0 ? nearest : Math.trunc(steps));
}

/** Of a step that is itself finer than the snap, a tenth of it counts as near. */
function toStepByDecimal<F extends Fixed>(value: number, step: F): F {
  const exact = new Decimal(value.toString());
  const whole = decimalFromFixed(step);
  const steps = exact.div(whole);
  const nearest = steps.toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN);
  const snap = Decimal.min(SNAP, whole.div(10));
  const isNear = exact.minus(nearest.times(whole)).abs().lte(snap);
  const count = isNear ? nearest : steps.toDecimalPlaces(0, Decimal.ROUND_DOWN);
  return fixedFromDecimal(count.times(whole), FINEST_PLACES) as Fixed as F;
}

const SNAP = new Decimal('0.000000001');
