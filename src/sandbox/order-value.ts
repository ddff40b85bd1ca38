import { Decimal } from '../core/decimal.js';
import { decimalFromFixed, type Fixed } from '../core/fixed.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';

const NOTHING = new Decimal(0);

/** Price × quantity, exact. */
export const valueOf = (price: Fixed, quantity: Fixed): Decimal =>
  decimalFromFixed(price).times(decimalFromFixed(quantity));

/**
 * Ordered quantity × price in the order's currency, unrounded; 0 of stops and targets that wait
 * (supplement, part 6).
 */
export function orderedValue(order: ExchangeOrder): Decimal {
  const price = order.price ?? order.averagePrice;
  if (price === undefined) return NOTHING;
  return inCurrency(order, valueOf(price, order.quantity));
}

/** Σ price × quantity of the fills in the order's currency, unrounded. */
export const filledValue = (order: ExchangeOrder): Decimal =>
  inCurrency(
    order,
    order.executions.reduce(
      (sum, { price, quantity }) => sum.plus(valueOf(price, quantity)),
      NOTHING,
    ),
  );

/** The rate is 1 of USDT orders. */
const inCurrency = (order: ExchangeOrder, value: Decimal): Decimal =>
  value.times(decimalFromFixed(order.hedgeRate));
