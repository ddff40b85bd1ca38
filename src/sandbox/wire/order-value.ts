import { Decimal } from '../../core/fixed/decimal.js';
import { decimalFromFixed, type Fixed } from '../../core/fixed/fixed.js';
import type { ExchangeOrder } from '../../exchange/simulated-exchange.js';

const ZERO_VALUE = new Decimal(0);

/** Price × quantity, exact. */
export const notionalOf = (price: Fixed, quantity: Fixed): Decimal =>
  decimalFromFixed(price).times(decimalFromFixed(quantity));

/**
 * Ordered quantity × price in the order's currency, unrounded; 0 for untriggered stops and targets
 * (supplement: part 6).
 */
export function orderedValue(order: ExchangeOrder): Decimal {
  const price = order.price ?? order.averagePrice;
  if (price === undefined) return ZERO_VALUE;
  return inCurrency(order, notionalOf(price, order.quantity));
}

/** Σ price × quantity of the fills in the order's currency, unrounded. */
export const filledValue = (order: ExchangeOrder): Decimal =>
  inCurrency(
    order,
    order.executions.reduce(
      (sum, { price, quantity }) => sum.plus(notionalOf(price, quantity)),
      ZERO_VALUE,
    ),
  );

/** The hedge rate is 1 for USDT orders. */
const inCurrency = (order: ExchangeOrder, value: Decimal): Decimal =>
  value.times(decimalFromFixed(order.hedgeRate));
