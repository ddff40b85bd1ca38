import type { OrderReport } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { KnownOrder } from '../../execution/order/past-orders.js';

/**
 * Compares our orders with the venue's list of open orders: one verdict for every row and every order of
 * ours.
 *
 * Invariants, each tested:
 *
 * 1. Union: each row has one verdict, and so has each order of ours that the venue should list.
 * 2. A row is ours by its client order id. A row without one is ours by the venue's order id. A row with a
 *    client order id that is not ours is never ours.
 * 3. An id with our prefix that the journal does not know is `stray`: a second writer, or another journal,
 *    trades here (hazards J13, J14). An adopted one is external instead. So is an order that a person resolved
 *    as never landed.
 * 4. An order of ours that was proved never to exist cannot be open: `impossible`.
 * 5. A row without a client order id that could be an unproved order of ours counts as that order until it is
 *    proved: its worst case is reserved already, and must not count twice.
 * 6. Every other row is external, or an external stop or target: counted, never touched (hazard G15).
 * 7. Equal inputs give equal verdicts: a second comparison of an unchanged account finds nothing new.
 *
 * The other verdicts: `over` is a row of an order of ours that has ended, because the list lags behind.
 * `missing` is an open order of ours without a row. `protective` is a stop or target, `foreign` an external
 * order.
 */
export type OrderVerdict =
  | { readonly kind: 'ours'; readonly order: OwnOrder; readonly report: OrderReport }
  | { readonly kind: 'impossible'; readonly order: KnownOrder; readonly report: OrderReport }
  | { readonly kind: 'missing'; readonly order: OwnOrder }
  | {
      readonly kind: 'over' | 'perhaps-ours' | 'protective' | 'foreign' | 'stray';
      readonly report: OrderReport;
    };

/** Our orders, as the comparison reads them. */
export interface OwnOrders {
  /** Prefix of our client order ids, without the hyphen. */
  readonly namespace: string;
  /** Orders that have not ended, in the list's currency. */
  readonly active: readonly OwnOrder[];
  /** An order of ours, ended or not. */
  known(clientOrderId: string): KnownOrder | undefined;
  /** Whether an order of ours, ended or not, has this id at the venue. */
  hasOrderId(orderId: string): boolean;
  /** Whether a row could be this order. */
  mayBeOrder(order: OwnOrder, report: OrderReport): boolean;
  /** Whether it is a stop or target that we set under a client order id of ours. */
  ownsProtection(clientOrderId: string): boolean;
  /** Whether a person has adopted this order. */
  isAdopted(clientOrderId: string): boolean;
}

export function reconcileOrders(
  own: OwnOrders,
  listed: readonly OrderReport[],
): readonly OrderVerdict[] {
  const rows = listed.map((report) => verdictOf(own, report));
  const ids = new Set(listed.map(({ orderId }) => orderId));
  const missing = own.active
    .filter(({ orderId }) => orderId !== undefined && !ids.has(orderId))
    .map((order) => ({ kind: 'missing' as const, order }));
  return [...rows, ...missing];
}

function verdictOf(own: OwnOrders, report: OrderReport): OrderVerdict {
  const id = report.clientOrderId;
  const order =
    id === undefined ? own.active.find((each) => each.orderId === report.orderId) : own.known(id);
  if (order !== undefined && !belongsToOther(own, order)) return verdictOfOwn(order, report);
  if (id !== undefined && own.ownsProtection(id)) return { kind: 'protective', report };
  if (id?.startsWith(`${own.namespace}-`) === true && !own.isAdopted(id)) {
    return { kind: 'stray', report };
  }
  if (report.role !== 'trade') return { kind: 'protective', report };
  if (id !== undefined) return { kind: 'foreign', report };
  if (own.hasOrderId(report.orderId)) return { kind: 'over', report };
  const perhapsOurs = own.active.some((each) => each.unproved && own.mayBeOrder(each, report));
  return { kind: perhapsOurs ? 'perhaps-ours' : 'foreign', report };
}

/**
 * Whether another writer placed the row under the id of our order: ours was never sent, a person resolved it
 * as never landed, or it was proved never to exist and the row is adopted.
 */
const belongsToOther = (own: OwnOrders, order: KnownOrder): boolean =>
  order.wasResolved ||
  (!order.wasSent && !order.ended) ||
  (neverExisted(order) && own.isAdopted(order.clientOrderId));

/** A list may lag behind the end of an order, but cannot show an order that never existed. */
function verdictOfOwn(order: KnownOrder, report: OrderReport): OrderVerdict {
  if (!order.ended) return { kind: 'ours', order, report };
  return neverExisted(order) ? { kind: 'impossible', order, report } : { kind: 'over', report };
}

/** Whether an ended order was proved never to have existed at the venue. */
export const neverExisted = ({ state }: KnownOrder): boolean =>
  state === 'rejected' || state === 'dropped' || state === 'burned';
