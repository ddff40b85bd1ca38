import type { CloseReport, PositionReport, ProtectionLeg } from '../../core/account.js';
import type { Quantity } from '../../core/fixed.js';
import type { MovedBy } from '../../strategy/world.js';

/**
 * Who moved a position, by the venue's last row of it and the rows of its close. What nothing shows to be a
 * stop, a target or a liquidation may be a person's hand: what a person sold is not bought back.
 *
 * @param claimed what the venue shows now, signed: a stop or a target closes the whole position
 */
export function moverOf(
  position: PositionReport | undefined,
  claimed: Quantity,
  closes: readonly CloseReport[] = [],
): MovedBy {
  if (position === undefined || claimed !== 0) return 'hand';
  const own = closes.filter(({ positionId }) => positionId === position.positionId);
  const last = own.reduce<CloseReport | undefined>(
    (newest, row) => (newest === undefined || row.closedAt > newest.closedAt ? row : newest),
    undefined,
  );
  if (last === undefined) return hasLeg(position) ? 'venue' : 'hand';
  return last.kind === 'liquidated' || isOfLeg(last, position) ? 'venue' : 'hand';
}

const hasLeg = ({ stopLoss, takeProfit }: PositionReport): boolean =>
  stopLoss !== undefined || takeProfit !== undefined;

/** By its order, or by its price, which is at the trigger or beyond. */
function isOfLeg(
  { orderId, closePrice }: CloseReport,
  { side, stopLoss, takeProfit }: PositionReport,
): boolean {
  const isOrderOf = (leg: ProtectionLeg | undefined): boolean =>
    orderId !== undefined && leg?.orderId === orderId;
  if (isOrderOf(stopLoss) || isOrderOf(takeProfit)) return true;
  const sign = side === 'long' ? 1 : -1;
  const isStopped = stopLoss !== undefined && (closePrice - stopLoss.price) * sign <= 0;
  const isTaken = takeProfit !== undefined && (closePrice - takeProfit.price) * sign >= 0;
  return isStopped || isTaken;
}
