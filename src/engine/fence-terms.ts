import {
  absolute,
  add,
  ceilToStep,
  isMore,
  divideUp,
  fixedFromUnits,
  floorToStep,
  larger,
  smaller,
  subtract,
  textFromFixed,
  unitsOf,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderTerms } from '../core/order.js';

/** How far from the last price a fence rests, in halves of it: no market comes there within its second. */
const BUY_AT = 1n;
const SELL_AT = 3n;

/** Where the venue's own limits leave less room, it must be a tenth of the price away at least. */
const LEAST_DISTANCE_PARTS = 10n;

/**
 * The least order that the venue takes and that surely rests, on the side of the order whose id it uses:
 * a limit at half the last price, or at one and a half times it, for little more than the minimum value.
 * Its terms differ from the order's, so that a read tells the two apart.
 *
 * @returns why there is none, where the venue's limits leave no room for one
 */
export function fenceTermsOf(
  original: OrderTerms,
  instrument: Instrument,
  last: Price,
): OrderTerms | string {
  const price = restingPrice(original, instrument, last);
  if (unitsOf(absolute(subtract(last, price))) * LEAST_DISTANCE_PARTS < unitsOf(last))
    return `no price of ${original.symbol} surely rests between its lowest and its highest`;
  const { symbol, currency, side } = original;
  const least = leastQuantity(instrument, price);
  const same = original.type === 'limit' && original.quantity === least;
  const quantity = same ? add(least, instrument.quantityStep) : least;
  if (isMore(quantity, instrument.maxQuantity))
    return `${symbol} takes ${textFromFixed(instrument.maxQuantity)} at most, which is too little to rest`;
  return { symbol, currency, side, type: 'limit', quantity, price, reduceOnly: false };
}

function restingPrice({ side }: OrderTerms, instrument: Instrument, last: Price): Price {
  const { priceStep, minPrice, maxPrice } = instrument;
  const halves = side === 'buy' ? BUY_AT : SELL_AT;
  const away = fixedFromUnits<'price'>((unitsOf(last) * halves) / 2n);
  const price = floorToStep(away, priceStep);
  const lowest = larger(ceilToStep(minPrice, priceStep), priceStep);
  return side === 'buy' ? larger(price, lowest) : smaller(price, floorToStep(maxPrice, priceStep));
}

/** One step above the minimum value, so that no rounding of the venue's falls below it. */
function leastQuantity(
  { minNotional, minQuantity, quantityStep }: Instrument,
  price: Price,
): Quantity {
  const least = larger(divideUp<'quantity'>(minNotional, price), minQuantity);
  return add(ceilToStep(least, quantityStep), quantityStep);
}
