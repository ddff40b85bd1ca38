import type { OrderReport } from '../../core/order.js';
import { wasResolved, type OwnOrder } from '../../execution/order/own-order.js';
import { neverWas, type OurOrders } from './reconcile-orders.js';

/**
 * One row of order history against our orders.
 *
 * - `known`: an order of ours, a stop or target of ours, or one that a person has adopted.
 * - `unproved`: the row of an order of ours whose fate is not proved: it is found.
 * - `stray`: it carries our namespace, and our journal does not know it, never sent it, or has proved
 *   that it cannot be (J13, J14).
 * - `foreign`: it tells another id than ours.
 * - `untold`: it tells no client order id, and its order id is not one of ours (G6): to be read in detail.
 */
export type HistoryVerdict =
  | { readonly kind: 'known' | 'foreign' | 'untold' }
  | { readonly kind: 'unproved'; readonly order: OwnOrder }
  | { readonly kind: 'stray'; readonly clientOrderId: string };

type OurPast = Pick<
  OurOrders,
  'namespace' | 'byClientOrderId' | 'hasOrderId' | 'ownsProtection' | 'isAdopted'
>;

export function judgeHistoryRow(ours: OurPast, row: OrderReport): HistoryVerdict {
  const { clientOrderId: id, orderId } = row;
  if (id === undefined) return { kind: ours.hasOrderId(orderId) ? 'known' : 'untold' };
  if (!id.startsWith(`${ours.namespace}-`)) return { kind: 'foreign' };
  if (ours.isAdopted(id) || ours.ownsProtection(id)) return { kind: 'known' };
  const order = ours.byClientOrderId(id);
  if (order === undefined || wasNotSent(order)) return { kind: 'stray', clientOrderId: id };
  // The answer to one on its way may be lost: this row can be the only proof of it then.
  return order.unproved || order.isOnTheWay ? { kind: 'unproved', order } : { kind: 'known' };
}

const wasNotSent = (order: OwnOrder): boolean =>
  order.attempts === 0 || neverWas(order) || wasResolved(order);
