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
 * Whether a read that began at `startedAt` (monotonic ms), with what is known besides, says that nothing
 * more will fill. Its status word alone does not.
 */
export function isOver(order: OwnOrder, report: OrderReport, startedAt: number): boolean {
  if (progressOf(report).gone) return true;
  const partial = report.status === 'partially-filled';
  const acknowledged = order.cancelState === 'acknowledged';
  if ((partial || acknowledged) && isOffTheList(order, startedAt)) return true;
  if (startedAt < order.canceledAt) return false;
  if (acknowledged) return partial && isChangedByCancel(order, report, startedAt);
  return startedAt - order.canceledAt >= READ_VISIBILITY_MS;
}

/**
 * Open orders have lacked it often, and for as long as a lookup may lag: what fills whole leaves the
 * list too, and its lookup may go on to tell of the part before.
 */
export const isOffTheList = ({ unlistedReads, unlistedSince }: OwnOrder, at: number): boolean =>
  unlistedReads >= CONFIRMING_READS && at - unlistedSince >= READ_VISIBILITY_MS;

/** What is still there when reads have had their time was not canceled, whatever was answered. */
export const isInVain = ({ cancelState, canceledAt }: OwnOrder, at: number): boolean =>
  cancelState === 'acknowledged' && at - canceledAt >= READ_VISIBILITY_MS;

/**
 * A cancelled remainder goes on to say PARTIAL_FILLED (hazard B5), as does a read that lags behind fills
 * before the cancel (B4): its time of change tells them apart, in whole seconds of the venue's clock. The
 * short form of an order by id has none: such a read is taken for one that lags, for as long as most do.
 */
function isChangedByCancel(
  order: OwnOrder,
  { updatedAt }: OrderReport,
  startedAt: number,
): boolean {
  if (updatedAt === undefined) return startedAt - order.canceledAt >= UNTIMED_READ_MS;
  // What changed long after the answer has traded on: the answer was none.
  return (
    updatedAt >= order.cancelSentAt - CLOCK_SLACK_MS &&
    updatedAt <= order.cancelAnsweredAt + CLOCK_SLACK_MS
  );
}
