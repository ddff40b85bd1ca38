import type { Decimal } from '../core/decimal.js';
import { textFromFixed, ZERO } from '../core/fixed.js';
import type { OrderStatus } from '../core/order.js';
import type { ExchangeOrder } from '../exchange/simulated-exchange.js';
import { moneyText } from './money-wire.js';
import { filledValue, orderedValue } from './order-value.js';
import type { Switches } from './switches.js';
import { exactNumber, WireNumber, type WireValue } from './wire-json.js';

export type WireObject = { readonly [key: string]: WireValue };

const STATUS: Readonly<Record<OrderStatus, string>> = {
  created: 'CREATED',
  'partially-filled': 'PARTIAL_FILLED',
  filled: 'FILLED',
  canceled: 'CANCELLED',
  'system-canceled': 'SYSTEM_CANCELLED',
  unrecognised: 'UNRECOGNISED',
};

/** Trading timestamps have whole seconds and a Z (supplement, part 13). */
export const timestamp = (timeMs: number): string =>
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
 * Order value in the order's currency: what was filled of a filled order, what was ordered of one that
 * may still trade. Of a partial fill whose rest was cancelled the interface has a known issue.
 */
function actualAmount(order: ExchangeOrder, switches: AmountSwitch): Decimal {
  if (order.status === 'filled') return filledValue(order);
  const restIsGone = order.endedAt !== undefined && order.filledQuantity > 0;
  return restIsGone && switches.partialCancelAmount === 'filled'
    ? filledValue(order)
    : orderedValue(order);
}

type AmountSwitch = Pick<Switches, 'partialCancelAmount' | 'inrMoneyText'>;

/** Numbers are JSON numbers here (interface, Order history item). */
export function orderHistoryWire(order: ExchangeOrder, switches: AmountSwitch): WireObject {
  return {
    created_at: timestamp(order.createdAt),
    updated_at: timestamp(order.updatedAt),
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

/** An order by id, in detail, or as an open order (interface, Order). */
export const orderWire = (
  order: ExchangeOrder,
  assetId: string,
  switches: AmountSwitch,
): WireObject => ({
  ...orderHistoryWire(order, switches),
  asset_uuid: assetId,
});

/** The fields that the interface does not list for a history item. */
const NOT_LISTED = new Set([
  'updated_at',
  'reason',
  'client_order_id',
  'position_id',
  'future_position_uuid',
]);

/** A row of order history with the fields that the interface lists alone. */
export const listedHistoryWire = (whole: WireObject): WireObject =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => !NOT_LISTED.has(key)));

/** What order by id leaves out in the interface's INR example. */
const LEFT_OUT = new Set([
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
  Object.fromEntries(Object.entries(whole).filter(([key]) => !LEFT_OUT.has(key)));

const reasonOf = (order: ExchangeOrder): WireValue =>
  order.role === 'trade' ? { message: order.reason ?? 'OK' } : null;

/** For control paths: everything, money as decimal texts. */
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
