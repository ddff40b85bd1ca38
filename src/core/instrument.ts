import { Decimal } from './fixed/decimal.js';
import {
  absolute,
  add,
  decimalFromFixed,
  MAX_PLACES,
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
} from './fixed/fixed.js';

/** A linear perpetual: margined in USDT or INR, priced in USDT, counted in the base asset. */
export interface Instrument {
  /** Trading symbol, upper case: BTCUSDT. */
  readonly symbol: string;
  /** The venue's own id of the instrument. */
  readonly assetId: string;
  readonly baseAsset: string;
  readonly quantityStep: Quantity;
  readonly minQuantity: Quantity;
  readonly maxQuantity: Quantity;
  /** Upper bound of a single market order. */
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
 * Rounds a number of a strategy, by its shortest decimal text, onto the quantity step: the nearest step
 * if that is within 1e-9, else toward zero. So 0.1 + 0.2 is 3 steps of 0.1, and 0.29 is 2.
 *
 * @throws RangeError for NaN or infinity
 */
export function quantize(value: number, instrument: Instrument): Quantity {
  return toStep(value, instrument.quantityStep);
}

/**
 * Rounds a price of a strategy onto the price step: `down`, `up` or `nearest`. A price within 1e-9 of
 * a step is that step, as in `quantize`.
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
const SNAP_TOLERANCE_SCALED = 0.1;
/** Relative bound: text, product and quotient each err by half a unit in the last place, 3 × 2^-53 in all. */
const DOUBLE_ROUNDING_ERROR = 4 * Number.EPSILON;

function toStep<F extends Fixed>(value: number, step: F): F {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  if (typeof step !== 'number') return toStepByDecimal(value, step);
  const steps = (value * SCALE) / step;
  const nearest = Math.round(steps);
  const beyondSnap = Math.abs(steps - nearest) - SNAP_TOLERANCE_SCALED / step;
  // Doubles decide wherever their error cannot change the result. Decimals are slow and decide the rest.
  if (Math.abs(beyondSnap) <= Math.abs(steps) * DOUBLE_ROUNDING_ERROR)
    return toStepByDecimal(value, step);
  return times(step, beyondSnap < 0 ? nearest : Math.trunc(steps));
}

/** For a step finer than the tolerance, a tenth of the step is the tolerance. */
function toStepByDecimal<F extends Fixed>(value: number, step: F): F {
  const exact = new Decimal(value.toString());
  const whole = decimalFromFixed(step);
  const steps = exact.div(whole);
  const nearest = steps.toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN);
  const snap = Decimal.min(SNAP_TOLERANCE, whole.div(10));
  const isNear = exact.minus(nearest.times(whole)).abs().lte(snap);
  const count = isNear ? nearest : steps.toDecimalPlaces(0, Decimal.ROUND_DOWN);
  return fixedFromDecimal(count.times(whole), MAX_PLACES) as Fixed as F;
}

const SNAP_TOLERANCE = new Decimal('0.000000001');

/** An instrument with the rules that the exchange applies but does not publish. */
export interface Listing {
  readonly instrument: Instrument;
  /** Maintenance margin rate. The venue does not publish it (supplement: margin). */
  readonly maintenanceRate: Ratio;
}
