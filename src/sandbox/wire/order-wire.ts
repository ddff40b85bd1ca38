import type { Currency } from '../../core/currency.js';
import type { Decimal } from '../../core/fixed/decimal.js';
import { FIXED_PLACES, textFromFixed, ZERO } from '../../core/fixed/fixed.js';
import type { OrderStatus } from '../../core/order.js';
import type { Execution, ExchangeOrder } from '../../exchange/simulated-exchange.js';
import { amountText, moneyText, type MoneyFormat } from './money-wire.js';
import { filledValue, notionalOf, orderedValue } from './order-value.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';
import { exactNumber, WireNumber, type WireValue } from '../http/wire-json.js';

export type WireObject = { readonly [key: string]: WireValue };

const STATUS: Readonly<Record<OrderStatus, string>> = {
  created: 'CREATED',
  'partially-filled': 'PARTIAL_FILLED',
  filled: 'FILLED',
  canceled: 'CANCELLED',
  'system-canceled': 'SYSTEM_CANCELLED',
  unrecognised: 'UNRECOGNISED',
};

/** Trading timestamps have whole seconds and a Z (supplement: part 13). */
export const wireTimestamp = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, 19)}Z`;

export const statusText = (status: OrderStatus): string => STATUS[status];

export function orderTypeText(order: Pick<ExchangeOrder, 'role' | 'side'>): string {
  if (order.role === 'stop-loss') return 'STOPLOSS';
  if (order.role === 'take-profit') return 'TAKEPROFIT';
  return order.side === 'sell' ? 'SHORT' : 'LONG';
}

export const triggerTypeText = ({ type }: Pick<ExchangeOrder, 'type'>): string =>
  type === 'limit' ? 'LIMIT' : 'MARKET';

/**
 * Value in the order's currency: the filled value of a filled order, else the ordered value. The interface
 * has a known issue for an order cancelled after a partial fill.
 */
function actualAmount(order: ExchangeOrder, switches: AmountFlags): Decimal {
  if (order.status === 'filled') return filledValue(order);
  const isPartiallyCanceled = order.endedAt !== undefined && order.filledQuantity > 0;
  return isPartiallyCanceled && switches.partialCancelAmount === 'filled'
    ? filledValue(order)
    : orderedValue(order);
}

type AmountFlags = Pick<BehaviorFlags, 'partialCancelAmount' | 'inrMoneyText'>;

/** Numbers are JSON numbers here (interface: Order history item). */
export function orderHistoryWire(order: ExchangeOrder, switches: AmountFlags): WireObject {
  return {
    created_at: wireTimestamp(order.createdAt),
    updated_at: wireTimestamp(order.updatedAt),
    reason: reasonOf(order),
    actual_amount: new WireNumber(
      moneyText(actualAmount(order, switches), order.currency, switches),
    ),
    quantity: exactNumber(order.quantity),
    filled_quantity: exactNumber(order.filledQuantity),
    price: exactNumber(order.price ?? order.averagePrice ?? ZERO),
    filled_price: exactNumber(order.averagePrice ?? ZERO),
    leverage: exactNumber(order.role === 'trade' ? order.leverage : ZERO),
    hedge_rate: exactNumber(order.hedgeRate),
    order_type: orderTypeText(order),
    trigger_type: triggerTypeText(order),
    trade_currency: order.currency,
    status: statusText(order.status),
    id: order.orderId,
    symbol: order.symbol,
    client_order_id: order.clientOrderId ?? null,
    position_id: order.positionId,
    future_position_uuid: order.positionId,
  };
}

/** An order by id, in detail, or as an open order (interface: Order). */
export const orderWire = (
  order: ExchangeOrder,
  assetId: string,
  switches: AmountFlags,
): WireObject => ({
  ...orderHistoryWire(order, switches),
  asset_uuid: assetId,
});

/** The order with its two values as strings and its fills (interface: Execution report). */
export const executionReportWire = (
  order: ExchangeOrder,
  assetId: string,
  switches: AmountFlags,
): WireObject => ({
  ...orderWire(order, assetId, switches),
  order_value: orderedValue(order).toDecimalPlaces(FIXED_PLACES).toFixed(),
  filled_value: filledValue(order).toDecimalPlaces(FIXED_PLACES).toFixed(),
  end_time: order.endedAt === undefined ? null : wireTimestamp(order.endedAt),
  executions: order.executions.map((execution) =>
    executionWire(execution, order.currency, switches),
  ),
});

/** Price and value in USDT, the fee in the order's currency, the time with milliseconds. */
const executionWire = (
  execution: Execution,
  currency: Currency,
  format: MoneyFormat,
): WireValue => ({
  is_maker: execution.maker,
  filled_price: textFromFixed(execution.price),
  filled_qty: textFromFixed(execution.quantity),
  filled_value: notionalOf(execution.price, execution.quantity)
    .toDecimalPlaces(FIXED_PLACES)
    .toFixed(),
  trading_fee: amountText(execution.fee, currency, format),
  filled_time: new Date(execution.time).toISOString(),
  trxn_id: execution.id,
});

/** The fields that the interface does not list for a history item. */
const UNLISTED_FIELDS = new Set([
  'updated_at',
  'reason',
  'client_order_id',
  'position_id',
  'future_position_uuid',
]);

/** A row of order history with only the fields that the interface lists. */
export const listedHistoryWire = (whole: WireObject): WireObject =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => !UNLISTED_FIELDS.has(key)));

/** Fields that order by id omits in the interface's INR example. */
const SHORT_FORM_OMITTED = new Set([
  'client_order_id',
  'asset_uuid',
  'symbol',
  'position_id',
  'future_position_uuid',
  'reason',
  'created_at',
  'updated_at',
]);

/** An order by id in its short form. */
export const shortOrderWire = (whole: WireObject): WireObject =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => !SHORT_FORM_OMITTED.has(key)));

const reasonOf = (order: ExchangeOrder): WireValue =>
  order.role === 'trade' ? { message: order.reason ?? 'OK' } : null;

/** The complete order for control paths; money is decimal text. */
export function orderState(order: ExchangeOrder, deliveries: number): WireValue {
  return {
    order_id: order.orderId,
    client_order_id: order.clientOrderId ?? null,
    deliveries,
    symbol: order.symbol,
    trade_currency: order.currency,
    order_type: orderTypeText(order),
    trigger_type: triggerTypeText(order),
    status: statusText(order.status),
    reduce_only: order.reduceOnly,
    side: order.side ?? null,
    quantity: textFromFixed(order.quantity),
    filled_quantity: textFromFixed(order.filledQuantity),
    price: order.price === undefined ? null : textFromFixed(order.price),
    filled_price: order.averagePrice === undefined ? null : textFromFixed(order.averagePrice),
    leverage: textFromFixed(order.leverage),
    stop_loss: order.stopLoss === undefined ? null : textFromFixed(order.stopLoss),
    take_profit: order.takeProfit === undefined ? null : textFromFixed(order.takeProfit),
    position_id: order.positionId ?? null,
    reason: order.reason ?? null,
    created_ms: order.createdAt,
    updated_ms: order.updatedAt,
    executions: order.executions.map((execution) => ({
      id: execution.id,
      price: textFromFixed(execution.price),
      quantity: textFromFixed(execution.quantity),
      fee: textFromFixed(execution.fee),
      maker: execution.maker,
      time_ms: execution.time,
    })),
  };
}
