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

const SNAP = new Decimal('1e-9');

function toStep(value: number, step: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  const steps = new Decimal(value.toString()).times(SCALE).div(step);
  const nearest = steps.toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN);
  const near = steps.minus(nearest).abs().times(step).div(SCALE).lte(SNAP);
  const whole = near ? nearest : steps.toDecimalPlaces(0, Decimal.ROUND_DOWN);
  return fixed(whole.times(step).toNumber());
}
