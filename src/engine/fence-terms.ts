import {
  add,
  ceilToStep,
  divideUp,
  fixedFromUnits,
  floorToStep,
  larger,
  smaller,
  unitsOf,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderTerms } from '../core/order.js';

/** How far from the last price a fence rests, in halves of it: no market comes there within its second. */
const BUY_AT = 1n;
const SELL_AT = 3n;

/**
 * The least order that the venue takes and that surely rests, on the side of the order whose id it uses:
 * a limit at half the last price, or at one and a half times it, for little more than the minimum value.
 * Its terms differ from the order's, so that a read tells the two apart.
 */
export function fenceTermsOf(
  original: OrderTerms,
  instrument: Instrument,
  last: Price,
): OrderTerms {
  const price = restingPrice(original, instrument, last);
  const least = leastQuantity(instrument, price);
  const same = original.type === 'limit' && original.quantity === least;
  const { symbol, currency, side } = original;
  const quantity = same ? add(least, instrument.quantityStep) : least;
  return { symbol, currency, side, type: 'limit', quantity, price, reduceOnly: false };
}

function restingPrice({ side }: OrderTerms, instrument: Instrument, last: Price): Price {
  const { priceStep, minPrice, maxPrice } = instrument;
  const halves = side === 'buy' ? BUY_AT : SELL_AT;
  const away = fixedFromUnits<'price'>((unitsOf(last) * halves) / 2n);
  const price = floorToStep(away, priceStep);
  return side === 'buy'
    ? larger(price, ceilToStep(minPrice, priceStep))
    : smaller(price, floorToStep(maxPrice, priceStep));
}

/** One step above the minimum value, so that no rounding of the venue's falls below it. */
function leastQuantity(
  { minNotional, minQuantity, quantityStep }: Instrument,
  price: Price,
): Quantity {
  const least = larger(divideUp<'quantity'>(minNotional, price), minQuantity);
  return add(ceilToStep(least, quantityStep), quantityStep);
}
