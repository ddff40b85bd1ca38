import type { CloseReport, ProtectionLeg } from '../core/account.js';
import { textFromFixed, type Ratio } from '../core/fixed.js';
import type { ExchangePosition } from '../exchange/simulated-exchange.js';
import { timestamp } from './order-wire.js';
import type { WireValue } from './wire-json.js';

const sideText = (side: 'long' | 'short'): string => (side === 'long' ? 'LONG' : 'SHORT');

/** A leg's order_type is the side that closes (supplement, part 11). */
function legWire(leg: ProtectionLeg | undefined, side: 'long' | 'short'): WireValue {
  if (leg === undefined) return undefined;
  const closing = sideText(side === 'long' ? 'short' : 'long');
  return { price: textFromFixed(leg.price), order_id: leg.orderId, order_type: closing };
}

/** An open position: all values are strings; legs only when they exist (interface, Open position). */
export function positionWire(
  position: ExchangePosition,
  assetId: string,
): { readonly [key: string]: WireValue } {
  const { side, liquidationPrice } = position;
  return {
    created_at: timestamp(position.createdAt),
    updated_at: timestamp(position.updatedAt),
    stoploss: legWire(position.stopLoss, side),
    takeprofit: legWire(position.takeProfit, side),
    entry_price: textFromFixed(position.entryPrice),
    quantity: textFromFixed(position.quantity),
    leverage: textFromFixed(position.leverage),
    liquidation_price: liquidationPrice === undefined ? '0' : textFromFixed(liquidationPrice),
    initial_margin: textFromFixed(position.initialMargin),
    maintenance_margin: textFromFixed(position.maintenanceMargin),
    entry_hedge_rate: textFromFixed(position.entryHedgeRate),
    order_type: sideText(side),
    status: 'OPEN',
    id: position.positionId,
    position_id: position.positionId,
    asset_uuid: assetId,
    symbol: position.symbol,
    trade_currency: position.currency,
  };
}

const CLOSE_STATUS = { partial: 'PARTIAL', closed: 'CLOSED', liquidated: 'LIQUIDATED' } as const;

export interface CloseContext {
  readonly assetId: string;
  readonly hedgeRate: Ratio;
  /** Of the order that closed, where known. */
  readonly leverage: Ratio | undefined;
}

/** A position history row: one close event (interface, Position history row). */
export function closeWire(close: CloseReport, context: CloseContext): WireValue {
  const hedgeRate = textFromFixed(context.hedgeRate);
  return {
    created_at: timestamp(close.openedAt),
    updated_at: timestamp(close.closedAt),
    entry_price: textFromFixed(close.entryPrice),
    closed_price: textFromFixed(close.closePrice),
    quantity: textFromFixed(close.quantity),
    leverage: context.leverage === undefined ? undefined : textFromFixed(context.leverage),
    pnl: textFromFixed(close.pnl),
    entry_hedge_rate: hedgeRate,
    exit_hedge_rate: hedgeRate,
    position_type: sideText(close.side),
    status: CLOSE_STATUS[close.kind],
    id: close.rowId,
    position_id: close.positionId,
    order_id: close.orderId ?? '',
    asset_uuid: context.assetId,
    symbol: close.symbol,
    trade_currency: close.currency,
  };
}
