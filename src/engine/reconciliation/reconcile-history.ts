import type { OrderReport } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { KnownOrder } from '../../execution/order/past-orders.js';
import { neverExisted, type OwnOrders } from './reconcile-orders.js';

/**
 * Verdict on one row of order history:
 *
 * - `known`: an order of ours, a stop or target of ours, or one that a person has adopted.
 * - `unproved`: an unproved order of ours; the row proves that it exists.
 * - `stray`: it carries our namespace, but our journal does not know it, never sent it, or has proved that it
 *   cannot exist (hazards J13, J14).
 * - `foreign`: it has a client order id that is not ours.
 * - `untold`: it has no client order id, and its order id is not ours (hazard G6): its details must be read.
 */
export type HistoryVerdict =
  | { readonly kind: 'known' | 'foreign' | 'untold' }
  | { readonly kind: 'unproved'; readonly order: OwnOrder }
  | { readonly kind: 'stray'; readonly clientOrderId: string };

type OwnOrderLookup = Pick<
  OwnOrders,
  'namespace' | 'known' | 'hasOrderId' | 'ownsProtection' | 'isAdopted'
>;

export function judgeHistoryRow(own: OwnOrderLookup, row: OrderReport): HistoryVerdict {
  const { clientOrderId: id, orderId } = row;
  if (id === undefined) return { kind: own.hasOrderId(orderId) ? 'known' : 'untold' };
  if (!id.startsWith(`${own.namespace}-`)) return { kind: 'foreign' };
  if (own.isAdopted(id) || own.ownsProtection(id)) return { kind: 'known' };
  const order = own.known(id);
  if (order === undefined || wasNotSent(order)) return { kind: 'stray', clientOrderId: id };
  if (order.ended) return { kind: 'known' };
  // The answer to an order in flight may be lost: this row can then be the only proof of it.
  return order.unproved || order.isInFlight ? { kind: 'unproved', order } : { kind: 'known' };
}

const wasNotSent = (order: KnownOrder): boolean =>
  !order.wasSent || neverExisted(order) || order.wasResolved;
