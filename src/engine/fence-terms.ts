import { fixed, floorToStep, SCALE, textFromFixed, type Price } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderTerms } from '../core/order.js';

/** How far from the last price a fence rests, as parts of it: no market comes there within its second. */
const BUY_AT = 0.5;
const SELL_AT = 1.5;

/** Where the venue's own limits leave less room, it must be so far away at least. */
const LEAST_DISTANCE = 0.1;

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
  if (Math.abs(last - price) < last * LEAST_DISTANCE)
    return `no price of ${original.symbol} surely rests between its lowest and its highest`;
  const { symbol, currency, side } = original;
  const least = leastQuantity(instrument, price);
  const same = original.type === 'limit' && original.quantity === least;
  const quantity = same ? least + instrument.quantityStep : least;
  if (quantity > instrument.maxQuantity)
    return `${symbol} takes ${textFromFixed(instrument.maxQuantity)} at most, which is too little to rest`;
  return {
    symbol,
    currency,
    side,
    type: 'limit',
    quantity: fixed(quantity),
    price,
    reduceOnly: false,
  };
}

function restingPrice({ side }: OrderTerms, instrument: Instrument, last: Price): Price {
  const { priceStep, minPrice, maxPrice } = instrument;
  const away = fixed<'price'>(Math.floor(last * (side === 'buy' ? BUY_AT : SELL_AT)));
  const price = floorToStep(away, priceStep);
  const lowest = fixed<'price'>(Math.max(1, Math.ceil(minPrice / priceStep)) * priceStep);
  const highest = floorToStep(maxPrice, priceStep);
  return side === 'buy' ? (price > lowest ? price : lowest) : price < highest ? price : highest;
}

/** One step above the minimum value, so that no rounding of the venue's falls below it. */
function leastQuantity(
  { minNotional, minQuantity, quantityStep }: Instrument,
  price: Price,
): number {
  const forNotional = Number((BigInt(minNotional) * BigInt(SCALE)) / BigInt(price));
  const steps = Math.ceil(Math.max(forNotional, minQuantity) / quantityStep) + 1;
  return steps * quantityStep;
}
