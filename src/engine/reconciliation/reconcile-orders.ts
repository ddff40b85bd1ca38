import type { OrderReport } from '../../core/order.js';
import { wasResolved, type OwnOrder } from '../../execution/order/own-order.js';

/**
 * Our orders against the venue's list of open ones: every row and every order of ours, judged once.
 *
 * What holds, and is tested as such:
 *
 * 1. Union: each row has one verdict, and so has each order of ours that the venue should list.
 * 2. A row is ours by its client order id or, where a row tells none, by the venue's id of an order of
 *    ours. A row that tells another id than ours is never ours, whatever it trades.
 * 3. An id with our prefix that the journal does not know is `stray`: a second writer, or another
 *    journal, trades here (J13, J14). One that a person has adopted is foreign instead. The same of an
 *    order of which a person said that it never landed.
 * 4. An order of ours that was proved never to exist cannot be open: `impossible`.
 * 5. A row that tells no id, and could be an order of ours whose fate is not proved, is that order's
 *    until it is: its worst case is reserved already, and must not be counted twice.
 * 6. What is left is foreign, or a stop or target that nobody here set: counted, never touched (G15).
 * 7. The same sides give the same verdicts, so that a second look at an unchanged account finds nothing
 *    new (P26).
 */
export type OrderVerdict =
  | { readonly kind: 'ours' | 'impossible'; readonly order: OwnOrder; readonly report: OrderReport }
  | { readonly kind: 'missing'; readonly order: OwnOrder }
  | {
      readonly kind: 'over' | 'perhaps-ours' | 'protective' | 'foreign' | 'stray';
      readonly report: OrderReport;
    };

/** What our side can say. */
export interface OurOrders {
  /** Prefix of our client order ids, without the hyphen. */
  readonly namespace: string;
  /** Ours that have not ended, in the list's currency. */
  readonly active: readonly OwnOrder[];
  byClientOrderId(id: string): OwnOrder | undefined;
  /** Whether an order of ours, ended or not, has this id at the venue. */
  hasOrderId(orderId: string): boolean;
  /** Whether a row could be this order. */
  couldBe(order: OwnOrder, report: OrderReport): boolean;
  /** A stop or target that we have set by a client order id of ours. */
  ownsProtection(clientOrderId: string): boolean;
  /** A person has said that this order is known. */
  isAdopted(clientOrderId: string): boolean;
}

export function reconcileOrders(
  ours: OurOrders,
  listed: readonly OrderReport[],
): readonly OrderVerdict[] {
  const rows = listed.map((report) => verdictOf(ours, report));
  const ids = new Set(listed.map(({ orderId }) => orderId));
  const missing = ours.active
    .filter(({ orderId }) => orderId !== undefined && !ids.has(orderId))
    .map((order) => ({ kind: 'missing' as const, order }));
  return [...rows, ...missing];
}

function verdictOf(ours: OurOrders, report: OrderReport): OrderVerdict {
  const id = report.clientOrderId;
  const order =
    id === undefined
      ? ours.active.find((each) => each.orderId === report.orderId)
      : ours.byClientOrderId(id);
  if (order !== undefined && !isOfAnother(ours, order)) return metOwn(order, report);
  if (id !== undefined && ours.ownsProtection(id)) return { kind: 'protective', report };
  if (id?.startsWith(`${ours.namespace}-`) === true && !ours.isAdopted(id)) {
    return { kind: 'stray', report };
  }
  if (report.role !== 'trade') return { kind: 'protective', report };
  if (id !== undefined) return { kind: 'foreign', report };
  if (ours.hasOrderId(report.orderId)) return { kind: 'over', report };
  const perhaps = ours.active.some((each) => each.unproved && ours.couldBe(each, report));
  return { kind: perhaps ? 'perhaps-ours' : 'foreign', report };
}

/**
 * Under the id of an order of ours that never left, or of which a person said that it never landed, or
 * that was proved never to exist, which a person knows: it is nobody's that we know.
 */
const isOfAnother = (ours: OurOrders, order: OwnOrder): boolean =>
  wasResolved(order) ||
  (order.attempts === 0 && !order.ended) ||
  (neverWas(order) && ours.isAdopted(order.clientOrderId));

/** A list may lag behind an end; it cannot show what never was. */
function metOwn(order: OwnOrder, report: OrderReport): OrderVerdict {
  if (!order.ended) return { kind: 'ours', order, report };
  return neverWas(order) ? { kind: 'impossible', order, report } : { kind: 'over', report };
}

/** Of an order that ended: that it never existed at the venue was proved. */
export const neverWas = ({ state }: OwnOrder): boolean =>
  state === 'rejected' || state === 'dropped' || state === 'burned';
