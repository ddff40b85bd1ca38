import {
  absolute,
  add,
  ceilToStep,
  isGreater,
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
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { OrderTerms } from '../../core/order.js';

/**
 * Distance of a fence from the last price, in halves of it: the market does not reach it within its
 * second.
 */
const BUY_PRICE_HALVES = 1n;
const SELL_PRICE_HALVES = 3n;

/**
 * Minimum distance from the last price, a tenth of it, where the venue's own limits require a nearer
 * price.
 */
const MIN_DISTANCE_DIVISOR = 10n;

/**
 * Terms of the smallest order that the venue accepts and that surely rests, on the side of the order
 * whose id it consumes: a limit at half the last price, or at one and a half times it, just above the
 * minimum value. They differ from the order's terms, so that a read can distinguish the two.
 *
 *
 * @returns why no fence is possible under the venue's limits
 */
export function fenceTermsOf(
  original: OrderTerms,
  instrument: Instrument,
  last: Price,
): OrderTerms | string {
  const price = restingPrice(original, instrument, last);
  if (unitsOf(absolute(subtract(last, price))) * MIN_DISTANCE_DIVISOR < unitsOf(last))
    return `no price of ${original.symbol} surely rests between its lowest and its highest`;
  const { symbol, currency, side } = original;
  const minQuantity = minRestingQuantity(instrument, price);
  const same = original.type === 'limit' && original.quantity === minQuantity;
  const quantity = same ? add(minQuantity, instrument.quantityStep) : minQuantity;
  if (isGreater(quantity, instrument.maxQuantity))
    return `${symbol} takes ${textFromFixed(instrument.maxQuantity)} at most, which is too little to rest`;
  return { symbol, currency, side, type: 'limit', quantity, price, reduceOnly: false };
}

function restingPrice({ side }: OrderTerms, instrument: Instrument, last: Price): Price {
  const { priceStep, minPrice, maxPrice } = instrument;
  const halves = side === 'buy' ? BUY_PRICE_HALVES : SELL_PRICE_HALVES;
  const away = fixedFromUnits<'price'>((unitsOf(last) * halves) / 2n);
  const price = floorToStep(away, priceStep);
  const lowest = larger(ceilToStep(minPrice, priceStep), priceStep);
  return side === 'buy' ? larger(price, lowest) : smaller(price, floorToStep(maxPrice, priceStep));
}

/** One step above the minimum value, so that the venue's rounding stays above it. */
function minRestingQuantity(
  { minNotional, minQuantity, quantityStep }: Instrument,
  price: Price,
): Quantity {
  const minimum = larger(divideUp<'quantity'>(minNotional, price), minQuantity);
  return add(ceilToStep(minimum, quantityStep), quantityStep);
}
