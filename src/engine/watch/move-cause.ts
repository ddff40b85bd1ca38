import type { CloseReport, PositionMove, PositionReport } from '../../core/account.js';
import { textFromFixed, type Quantity } from '../../core/fixed.js';

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
 * What closed a position, by its row of history: the venue says a liquidation itself; a stop or target
 * is the order that the position was last shown with.
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
  return role === 'take-profit' || isLeg(shown?.takeProfit) ? 'take_profit' : 'external';
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
