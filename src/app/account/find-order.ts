import type { OrderRef } from '../../core/order.js';
import type { OrderDetail } from '../../venue/futures-api/futures-api.js';
import { patiently, read, valueOf, type VenueAccess } from './venue-access.js';

/** Rows of each list that are looked through. */
const ROWS = 100;

export const refText = (ref: OrderRef): string =>
  'orderId' in ref ? ref.orderId : `with client id ${ref.clientOrderId}`;

/**
 * One order. Where the lookup by client id misses it, as was seen in the field (supplement, part 9),
 * the lists of its currency are looked through.
 * @returns undefined when the venue knows none
 * @throws StartError, VenueError when a list cannot be read: then nobody can say
 */
export async function findOrder(
  { api, currency }: VenueAccess,
  ref: OrderRef,
): Promise<OrderDetail | undefined> {
  const outcome = await patiently(() => api.orderDetail(ref));
  const missing = outcome.kind === 'no' && outcome.code === 'order-not-found';
  if (!missing) return valueOf(outcome, `order ${refText(ref)}`);
  if ('orderId' in ref) return undefined;
  const range = { limit: ROWS };
  const open = await read(() => api.openOrders(currency, range), 'open orders');
  const ended = await read(() => api.orderHistory(currency, range), 'order history');
  return [...open, ...ended].find(({ clientOrderId }) => clientOrderId === ref.clientOrderId);
}
