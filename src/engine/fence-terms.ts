import { fixed, floorToStep, SCALE, type Price, type Quantity } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderTerms } from '../core/order.js';

/** How far from the last price a fence rests, as parts of it: no market comes there within its second. */
const BUY_AT = 0.5;
const SELL_AT = 1.5;

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
  const quantity = same ? fixed<'quantity'>(least + instrument.quantityStep) : least;
  return { symbol, currency, side, type: 'limit', quantity, price, reduceOnly: false };
}

function restingPrice({ side }: OrderTerms, instrument: Instrument, last: Price): Price {
  const { priceStep, minPrice, maxPrice } = instrument;
  const away = fixed<'price'>(Math.floor(last * (side === 'buy' ? BUY_AT : SELL_AT)));
  const price = floorToStep(away, priceStep);
  const lowest = fixed<'price'>(Math.ceil(minPrice / priceStep) * priceStep);
  const highest = floorToStep(maxPrice, priceStep);
  return side === 'buy' ? (price > lowest ? price : lowest) : price < highest ? price : highest;
}

/** One step above the minimum value, so that no rounding of the venue's falls below it. */
function leastQuantity(
  { minNotional, minQuantity, quantityStep }: Instrument,
  price: Price,
): Quantity {
  const forNotional = Number((BigInt(minNotional) * BigInt(SCALE)) / BigInt(price));
  const steps = Math.ceil(Math.max(forNotional, minQuantity) / quantityStep) + 1;
  return fixed(steps * quantityStep);
}
