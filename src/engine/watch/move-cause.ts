import type {
  CloseReport,
  PositionChangeReason,
  PositionReport,
  ProtectiveOrderReport,
} from '../../core/account.js';
import { subtract, textFromFixed, withSign, type Quantity } from '../../core/fixed/fixed.js';
import type { ExternalChangeSource } from '../../strategy/contract/strategy-port.js';

/** A position change that no order of ours explains. Quantities are signed. */
export interface UnexplainedMove {
  readonly symbol: string;
  readonly believed: Quantity;
  readonly reported: Quantity;
  /** External part of the claim, as text; empty: none. */
  readonly share: string;
  /** Evidence for the claim. */
  readonly evidence: string;
}

/** The side of a position with its stop and target, as the venue showed them or, before, as we decided them. */
export type ShownProtection = Pick<PositionReport, 'side' | 'stopLoss' | 'takeProfit'>;

/** The row itself says that the venue closed the position. */
export const namesItsCause = ({ kind, role = 'trade' }: CloseReport): boolean =>
  kind === 'liquidated' || role !== 'trade';

/**
 * Cause of a close, by its row of history. The venue names a liquidation itself. A stop or target has the
 * order id that the position last showed; without an id, its price is at the trigger or beyond.
 */
export function causeOf(
  close: CloseReport | undefined,
  shown: ShownProtection | undefined,
): PositionChangeReason {
  if (close === undefined) return 'external';
  if (close.kind === 'liquidated') return 'liquidation';
  const { orderId, role } = close;
  const isProtectiveOrder = (order: PositionReport['stopLoss']): boolean =>
    order !== undefined && order.orderId !== '' && order.orderId === orderId;
  if (role === 'stop-loss' || isProtectiveOrder(shown?.stopLoss)) return 'stop_loss';
  if (role === 'take-profit' || isProtectiveOrder(shown?.takeProfit)) return 'take_profit';
  return shown === undefined ? 'external' : moveByPrice(close, shown);
}

function moveByPrice(
  { closePrice, orderId }: CloseReport,
  { side, stopLoss, takeProfit }: ShownProtection,
): PositionChangeReason {
  const direction = side === 'long' ? 1 : -1;
  const isBeyond = (order: ProtectiveOrderReport | undefined, sign: 1 | -1): boolean =>
    order !== undefined &&
    (orderId === undefined || order.orderId === '') &&
    withSign(sign, subtract(closePrice, order.price)) >= 0;
  if (isBeyond(stopLoss, direction === 1 ? -1 : 1)) return 'stop_loss';
  return isBeyond(takeProfit, direction) ? 'take_profit' : 'external';
}

/**
 * Author of a change. Without evidence of a stop, a target or a liquidation it may be a manual trade, and a
 * part that a person sold is not bought back. Where a protective order existed and no row contradicts, it
 * closed the position.
 */
export function moverOf(
  cause: PositionChangeReason,
  {
    close,
    shown,
    reported,
  }: {
    readonly close: CloseReport | undefined;
    readonly shown: ShownProtection | undefined;
    /** The quantity that the venue shows now, signed: a stop or target closes the whole position. */
    readonly reported: Quantity;
  },
): ExternalChangeSource {
  if (cause !== 'external') return 'venue';
  const hasProtectiveOrder = shown?.stopLoss !== undefined || shown?.takeProfit !== undefined;
  return close === undefined && reported === 0 && hasProtectiveOrder ? 'venue' : 'hand';
}

/** For people, and for the journal. */
export function moveText(
  cause: PositionChangeReason,
  close: CloseReport | undefined,
  { symbol, believed, reported, share, evidence }: UnexplainedMove,
): string {
  const from = `from ${textFromFixed(believed)} to ${textFromFixed(reported)}`;
  if (cause === 'external' || close === undefined)
    return `position of ${symbol} moved ${from} without an order of ours${share}: ${evidence}`;
  const price = textFromFixed(close.closePrice);
  return `${NAMES[cause]} of ${symbol} filled at ${price}, position ${from}${share}: ${evidence}`;
}

const NAMES = {
  stop_loss: 'stop-loss',
  take_profit: 'take-profit',
  liquidation: 'liquidation',
} as const satisfies Record<Exclude<PositionChangeReason, 'external'>, string>;
