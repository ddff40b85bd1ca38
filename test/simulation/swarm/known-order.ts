import { isUnproved } from '../../../src/execution/order/order-state.js';
import type { KnownOrder, PastOrder } from '../../../src/execution/order/past-orders.js';

/** It ended so long ago that memory keeps its ids and its end only. */
export const isPast = (order: KnownOrder): order is PastOrder => !('terms' in order);

/** The bot does not claim to know its outcome. */
export const isOpenToProof = (order: KnownOrder): boolean =>
  !isPast(order) && (isUnproved(order.state) || order.isInFlight || order.state === 'waiting');
