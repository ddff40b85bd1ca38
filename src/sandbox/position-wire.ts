import type { CloseReport, ProtectionLeg } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { decimalFromFixed, textFromFixed, type Amount, type Ratio } from '../core/fixed.js';
import type { ExchangePosition } from '../exchange/simulated-exchange.js';
import { amountText, cutText, type MoneyForm } from './money-wire.js';
import { timestamp, type WireObject } from './order-wire.js';
import type { Switches } from './switches.js';
import type { WireValue } from './wire-json.js';

/** How a position row is printed. */
export type PositionForm = Pick<Switches, 'inrMarginText' | 'unsetLeg'>;

const WHOLE: PositionForm = { inrMarginText: 'whole', unsetLeg: 'absent' };
const EMPTY_LEG = { price: '0', order_id: '', order_type: '' };
/** Margins of INR rows show so many places and are cut, not rounded (supplement, part 11). */
const INR_PLACES = 2;

const sideText = (side: 'long' | 'short'): string => (side === 'long' ? 'LONG' : 'SHORT');

/** A leg's order_type is the side that closes (supplement, part 11). */
function legWire(
  leg: Required<ProtectionLeg> | undefined,
  side: 'long' | 'short',
  form: PositionForm,
): WireValue {
  if (leg === undefined) return form.unsetLeg === 'empty' ? EMPTY_LEG : undefined;
  const closing = sideText(side === 'long' ? 'short' : 'long');
  return { price: textFromFixed(leg.price), order_id: leg.orderId, order_type: closing };
}

export const marginText = (margin: Amount, currency: Currency, form: PositionForm): string =>
  currency === 'INR' && form.inrMarginText === 'cut'
    ? cutText(decimalFromFixed(margin), INR_PLACES)
    : textFromFixed(margin);

export const liquidationText = ({ liquidationPrice }: ExchangePosition): string =>
  liquidationPrice === undefined ? '0' : textFromFixed(liquidationPrice);

/** An open position: all values are strings; legs only when they exist (interface, Open position). */
export function positionWire(
  position: ExchangePosition,
  assetId: string,
  form: PositionForm = WHOLE,
): WireObject {
  const { side, currency } = position;
  return {
    created_at: timestamp(position.createdAt),
    updated_at: timestamp(position.updatedAt),
    stoploss: legWire(position.stopLoss, side, form),
    takeprofit: legWire(position.takeProfit, side, form),
    entry_price: textFromFixed(position.entryPrice),
    quantity: textFromFixed(position.quantity),
    leverage: textFromFixed(position.leverage),
    liquidation_price: liquidationText(position),
    initial_margin: marginText(position.initialMargin, currency, form),
    maintenance_margin: marginText(position.maintenanceMargin, currency, form),
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

/** A position history row: one close event (interface, Position history row). */
export const closeWire = (close: CloseReport, assetId: string, form: MoneyForm): WireObject => ({
  created_at: timestamp(close.openedAt),
  updated_at: timestamp(close.closedAt),
  entry_price: textFromFixed(close.entryPrice),
  closed_price: textFromFixed(close.closePrice),
  quantity: textFromFixed(close.quantity),
  leverage: optionalText(close.leverage),
  pnl: amountText(close.pnl, close.currency, form),
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
