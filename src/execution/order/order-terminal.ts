import type { OrderReport } from '../../core/order.js';
import {
  CLOCK_SLACK_MS,
  CONFIRMING_READS,
  READ_VISIBILITY_MS,
  UNTIMED_READ_MS,
} from '../constants.js';
import { progressOf } from './order-state.js';
import type { OwnOrder } from './own-order.js';

/**
 * Whether a read that began at `startedAt` (monotonic ms), together with earlier evidence, proves
 * that nothing more fills. The status alone does not.
 */
export function isTerminal(order: OwnOrder, report: OrderReport, startedAt: number): boolean {
  if (progressOf(report).endedEarly) return true;
  const partial = report.status === 'partially-filled';
  const acknowledged = order.cancelState === 'acknowledged';
  if ((partial || acknowledged) && missingFromOpenOrders(order, startedAt)) return true;
  if (startedAt < order.canceledAt) return false;
  if (acknowledged) return partial && isChangedByCancel(order, report, startedAt);
  return startedAt - order.canceledAt >= READ_VISIBILITY_MS;
}

/**
 * Lists of open orders have lacked the order several times, and for as long as a lookup may lag. A
 * full fill leaves the list too, while its lookup may still show the partial fill before it.
 */
export const missingFromOpenOrders = (
  { openOrdersMisses, missingFromListSince }: OwnOrder,
  at: number,
): boolean =>
  openOrdersMisses >= CONFIRMING_READS && at - missingFromListSince >= READ_VISIBILITY_MS;

/**
 * An order that still exists after reads had time to catch up was not canceled, even if the reply
 * said so.
 */
export const cancelHadNoEffect = ({ cancelState, canceledAt }: OwnOrder, at: number): boolean =>
  cancelState === 'acknowledged' && at - canceledAt >= READ_VISIBILITY_MS;

/**
 * A canceled remainder keeps the status PARTIAL_FILLED (hazard B5), and so does a read that lags
 * behind fills before the cancel (hazard B4). The time of change, in whole seconds of the venue's
 * clock, distinguishes them. A read by id may have none: until most lags have passed it counts as a
 * lagging read.
 */
function isChangedByCancel(
  order: OwnOrder,
  { updatedAt }: OrderReport,
  startedAt: number,
): boolean {
  if (updatedAt === undefined) return startedAt - order.canceledAt >= UNTIMED_READ_MS;
  // A change long after the reply is another fill: the cancel had no effect.
  return (
    updatedAt >= order.cancelSentAt - CLOCK_SLACK_MS &&
    updatedAt <= order.cancelAnsweredAt + CLOCK_SLACK_MS
  );
}
