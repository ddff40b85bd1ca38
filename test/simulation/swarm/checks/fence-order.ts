import { textFromFixed } from '../../../../src/core/fixed/fixed.js';
import type { ExchangeOrder } from '../../../../src/exchange/simulated-exchange.js';
import type { SimWorld } from '../world.js';

/** The fence of an exit is no exit, and that of an entry has no stop. */
export const isFenceOrder = (
  world: SimWorld,
  { clientOrderId = '', price }: ExchangeOrder,
): boolean => {
  const fence = world.fences.get(clientOrderId)?.['price'];
  return fence !== undefined && price !== undefined && textFromFixed(price) === fence;
};
