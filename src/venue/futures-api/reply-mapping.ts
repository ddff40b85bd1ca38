import type { PositionReport, TransferRow } from '../../core/account.js';
import type { OrderReport } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';
import type {
  OrderDetail,
  PlacementDetail,
  PositionDetail,
  TransferDetail,
} from './futures-api.js';
import { mapOutcome } from './http/outcome.js';
import { omit, withoutUndefined } from './wire/wire-value.js';

/** For the engine a 403 proves nothing, because the interface does not specify its body. */
export function adaptOutcome<T, U>(outcome: Outcome<T>, transform: (value: T) => U): Outcome<U> {
  if (outcome.kind === 'no' && outcome.code === 'forbidden') {
    const { status, text } = outcome;
    return { kind: 'unknown', cause: `HTTP ${status}: ${text}`, sent: true, status };
  }
  return mapOutcome(outcome, transform);
}

export const placementOf = ({ orderId, positionId, price, quantity }: PlacementDetail): Placement =>
  withoutUndefined({ orderId, positionId, price, quantity });

export const transferRowOf = ({
  id,
  currency,
  direction,
  amount,
  createdAt,
}: TransferDetail): TransferRow => ({
  id,
  currency,
  direction,
  amount,
  createdAt,
});

export const orderOf = (order: OrderDetail): OrderReport => omit(historyRowOf(order), 'createdAt');

/** Drops rows of a page that were not requested, so that they are not recorded. */
export const isMadeOrChangedSince =
  (from = Number.NEGATIVE_INFINITY, changedSince = from) =>
  ({ createdAt = Number.POSITIVE_INFINITY, updatedAt = createdAt }: OrderDetail): boolean =>
    createdAt >= from || Math.max(createdAt, updatedAt) >= changedSince;

/** With `createdAt`: the reader must know how far back the history reaches. */
export const historyRowOf = (order: OrderDetail): OrderReport =>
  // The rate of a USDT order is 1, and says nothing.
  order.currency === 'INR' ? omit(order, 'actualAmount') : omit(order, 'actualAmount', 'hedgeRate');

export const positionOf = ({ createdAt, ...position }: PositionDetail): PositionReport => ({
  ...(position.currency === 'INR'
    ? omit(position, 'updatedAt')
    : omit(position, 'entryHedgeRate', 'updatedAt')),
  ...(createdAt !== undefined && { openedAt: createdAt }),
});
