import type {
  CloseReport,
  PositionMove,
  PositionReport,
  ProtectionLeg,
} from '../../core/account.js';
import { subtract, textFromFixed, withSign, type Quantity } from '../../core/fixed.js';
import type { MovedBy } from '../../strategy/world.js';

/** A position that is not what we believed, and no order of ours explains it. Quantities are signed. */
export interface Move {
  readonly symbol: string;
  readonly believed: Quantity;
  readonly claimed: Quantity;
  /** Of the claim, what is not ours, as text; empty: all of it is. */
  readonly share: string;
  /** Why it is believed. */
  readonly evidence: string;
}

/**
 * The cause of a close, by its row of history: the venue says a liquidation itself; a stop or target
 * is the order that the position was last shown with; where no id tells, it fills at its trigger or beyond.
 */
export function moveOf(
  close: CloseReport | undefined,
  shown: PositionReport | undefined,
): PositionMove {
  if (close === undefined) return 'external';
  if (close.kind === 'liquidated') return 'liquidation';
  const { orderId, role } = close;
  const isLeg = (leg: PositionReport['stopLoss']): boolean =>
    leg !== undefined && leg.orderId !== '' && leg.orderId === orderId;
  if (role === 'stop-loss' || isLeg(shown?.stopLoss)) return 'stop_loss';
  if (role === 'take-profit' || isLeg(shown?.takeProfit)) return 'take_profit';
  return shown === undefined ? 'external' : moveByPrice(close, shown);
}

function moveByPrice(
  { closePrice, orderId }: CloseReport,
  { side, stopLoss, takeProfit }: PositionReport,
): PositionMove {
  const way = side === 'long' ? 1 : -1;
  const isBeyond = (leg: ProtectionLeg | undefined, sign: 1 | -1): boolean =>
    leg !== undefined &&
    (orderId === undefined || leg.orderId === '') &&
    withSign(sign, subtract(closePrice, leg.price)) >= 0;
  if (isBeyond(stopLoss, way === 1 ? -1 : 1)) return 'stop_loss';
  return isBeyond(takeProfit, way) ? 'take_profit' : 'external';
}

/**
 * The author of a move. A move that nothing shows to be a stop, a target or a liquidation may be a person's
 * hand, and a part that a person sold is not bought back. Where a leg stood and no row tells more, the leg
 * closed it.
 */
export function moverOf(
  cause: PositionMove,
  {
    close,
    shown,
    claimed,
  }: {
    readonly close: CloseReport | undefined;
    readonly shown: PositionReport | undefined;
    /** The quantity that the venue shows now, signed: a stop or a target closes the whole position. */
    readonly claimed: Quantity;
  },
): MovedBy {
  if (cause !== 'external') return 'venue';
  const hasLeg = shown?.stopLoss !== undefined || shown?.takeProfit !== undefined;
  return close === undefined && claimed === 0 && hasLeg ? 'venue' : 'hand';
}

/** For people, and for the journal. */
export function moveText(
  cause: PositionMove,
  close: CloseReport | undefined,
  { symbol, believed, claimed, share, evidence }: Move,
): string {
  const from = `from ${textFromFixed(believed)} to ${textFromFixed(claimed)}`;
  if (cause === 'external' || close === undefined)
    return `position of ${symbol} moved ${from} without an order of ours${share}: ${evidence}`;
  const price = textFromFixed(close.closePrice);
  return `${NAMES[cause]} of ${symbol} filled at ${price}, position ${from}${share}: ${evidence}`;
}

const NAMES = {
  stop_loss: 'stop-loss',
  take_profit: 'take-profit',
  liquidation: 'liquidation',
} as const satisfies Record<Exclude<PositionMove, 'external'>, string>;
