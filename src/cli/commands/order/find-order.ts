import type { OrderRef } from '../../../core/order.js';
import type { OrderDetail } from '../../../venue/futures-api/futures-api.js';
import { type AccountConnection } from '../account/account-connection.js';
import { retryWhileRateLimited, readOrThrow, valueOrThrow } from '../../../venue/read-outcome.js';

/** Rows of each list that are searched. */
const MAX_ROWS = 100;

export const refText = (ref: OrderRef): string =>
  'orderId' in ref ? ref.orderId : `with client id ${ref.clientOrderId}`;

/**
 * Finds one order. Real venues were seen to miss an order in the lookup by client id, so the lists of
 * its currency are searched too.
 * @returns undefined when the venue has no such order
 * @throws StartError, VenueError when a list cannot be read, so that the answer is unknown
 */
export async function findOrder(
  { api, currency }: AccountConnection,
  ref: OrderRef,
): Promise<OrderDetail | undefined> {
  const outcome = await retryWhileRateLimited(() => api.orderDetail(ref));
  const missing = outcome.kind === 'no' && outcome.code === 'order-not-found';
  if (!missing) return valueOrThrow(outcome, `order ${refText(ref)}`);
  if ('orderId' in ref) return undefined;
  const range = { limit: MAX_ROWS };
  const open = await readOrThrow(() => api.openOrders(currency, range), 'open orders');
  const ended = await readOrThrow(() => api.orderHistory(currency, range), 'order history');
  return [...open, ...ended].find(({ clientOrderId }) => clientOrderId === ref.clientOrderId);
}
