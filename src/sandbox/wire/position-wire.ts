import type { CloseReport, ProtectiveOrderReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import {
  decimalFromFixed,
  textFromFixed,
  type Amount,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { ExchangePosition } from '../../exchange/simulated-exchange.js';
import { amountText, cutText, type MoneyFormat } from './money-wire.js';
import { wireTimestamp, type WireObject } from './order-wire.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';
import type { WireValue } from '../http/wire-json.js';

/** Format of a position row. */
export type PositionFormat = Pick<BehaviorFlags, 'inrMarginText' | 'unsetLeg'>;

const FULL_FORMAT: PositionFormat = { inrMarginText: 'whole', unsetLeg: 'absent' };
const EMPTY_PROTECTIVE_ORDER = { price: '0', order_id: '', order_type: '' };
/** Places of margins on INR rows, which are cut, not rounded (supplement: part 11). */
const INR_PLACES = 2;

const sideText = (side: 'long' | 'short'): string => (side === 'long' ? 'LONG' : 'SHORT');

/** The order_type of a stop or target is the closing side (supplement: part 11). */
function protectiveOrderWire(
  order: Required<ProtectiveOrderReport> | undefined,
  side: 'long' | 'short',
  format: PositionFormat,
): WireValue {
  if (order === undefined) return format.unsetLeg === 'empty' ? EMPTY_PROTECTIVE_ORDER : undefined;
  const closing = sideText(side === 'long' ? 'short' : 'long');
  return { price: textFromFixed(order.price), order_id: order.orderId, order_type: closing };
}

export const marginText = (margin: Amount, currency: Currency, format: PositionFormat): string =>
  currency === 'INR' && format.inrMarginText === 'cut'
    ? cutText(decimalFromFixed(margin), INR_PLACES)
    : textFromFixed(margin);

export const liquidationText = ({ liquidationPrice }: ExchangePosition): string =>
  liquidationPrice === undefined ? '0' : textFromFixed(liquidationPrice);

/** All values are strings; stops and targets only when they exist (interface: Open position). */
export function positionWire(
  position: ExchangePosition,
  assetId: string,
  format: PositionFormat = FULL_FORMAT,
): WireObject {
  const { side, currency } = position;
  return {
    created_at: wireTimestamp(position.createdAt),
    updated_at: wireTimestamp(position.updatedAt),
    stoploss: protectiveOrderWire(position.stopLoss, side, format),
    takeprofit: protectiveOrderWire(position.takeProfit, side, format),
    entry_price: textFromFixed(position.entryPrice),
    quantity: textFromFixed(position.quantity),
    leverage: textFromFixed(position.leverage),
    liquidation_price: liquidationText(position),
    initial_margin: marginText(position.initialMargin, currency, format),
    maintenance_margin: marginText(position.maintenanceMargin, currency, format),
    entry_hedge_rate: textFromFixed(position.entryHedgeRate),
    order_type: sideText(side),
    status: 'OPEN',
    id: position.positionId,
    position_id: position.positionId,
    asset_uuid: assetId,
    symbol: position.symbol,
    trade_currency: currency,
  };
}

const CLOSE_STATUS = { partial: 'PARTIAL', closed: 'CLOSED', liquidated: 'LIQUIDATED' } as const;

/** A row of position history is one close (interface: Position history row). */
export const closeWire = (
  close: CloseReport,
  assetId: string,
  format: MoneyFormat,
): WireObject => ({
  created_at: wireTimestamp(close.openedAt),
  updated_at: wireTimestamp(close.closedAt),
  entry_price: textFromFixed(close.entryPrice),
  closed_price: textFromFixed(close.closePrice),
  quantity: textFromFixed(close.quantity),
  leverage: optionalText(close.leverage),
  pnl: amountText(close.pnl, close.currency, format),
  entry_hedge_rate: optionalText(close.entryHedgeRate),
  exit_hedge_rate: optionalText(close.exitHedgeRate),
  position_type: sideText(close.side),
  status: CLOSE_STATUS[close.kind],
  id: close.rowId,
  position_id: close.positionId,
  order_id: close.orderId ?? '',
  asset_uuid: assetId,
  symbol: close.symbol,
  trade_currency: close.currency,
});

const optionalText = (value: Ratio | undefined): string | undefined =>
  value === undefined ? undefined : textFromFixed(value);
