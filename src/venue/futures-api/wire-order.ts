import { z } from 'zod';
import type { Currency } from '../../core/currency.js';
import { isMore, type Quantity } from '../../core/fixed.js';
import type { OrderRef, OrderReport, OrderStatus, Side } from '../../core/order.js';
import type { OrderDetail, PlacementDetail } from './futures-api.js';
import {
  amountOf,
  currencyTag,
  decimal,
  id,
  isSame,
  lenient,
  optionalText,
  positiveOrNone,
  present,
  symbol,
  timestamp,
  madeOnce,
} from './wire-value.js';
import { rowsOf } from './wire-rows.js';

/** Words of the interface, States and transitions. Any other keeps its exposure (hazard G11). */
const STATUSES: Readonly<Record<string, OrderStatus>> = {
  CREATED: 'created',
  PARTIAL_FILLED: 'partially-filled',
  FILLED: 'filled',
  CANCELLED: 'canceled',
  SYSTEM_CANCELLED: 'system-canceled',
};

/** `order_type` is the side of an order that trades, and the role of one that waits. */
export const ROLES: Readonly<Record<'LONG' | 'SHORT' | 'STOPLOSS' | 'TAKEPROFIT', OrderRole>> = {
  LONG: { role: 'trade', side: 'buy' },
  SHORT: { role: 'trade', side: 'sell' },
  STOPLOSS: { role: 'stop-loss' },
  TAKEPROFIT: { role: 'take-profit' },
};

export interface OrderRole {
  readonly role: OrderReport['role'];
  readonly side?: Side;
}

const reason = z
  .union([z.object({ message: optionalText }), z.string(), z.null()])
  .optional()
  .transform((value) => {
    const text = typeof value === 'object' ? value?.message : value;
    // "OK" stands on every order that was accepted: it ends nothing.
    return text === undefined || text === '' || text === 'OK' ? undefined : text;
  });

const orderFields = (asked?: Currency) => ({
  id: optionalText,
  order_id: optionalText,
  client_order_id: optionalText,
  symbol: symbol.nullish(),
  order_type: z.enum(['LONG', 'SHORT', 'STOPLOSS', 'TAKEPROFIT']),
  trigger_type: z.enum(['MARKET', 'LIMIT']),
  status: z.string(),
  trade_currency: currencyTag(asked),
  quantity: amountOf<'quantity'>(),
  filled_quantity: amountOf<'quantity'>(),
  price: positiveOrNone<'price'>(),
  filled_price: positiveOrNone<'price'>(),
  leverage: positiveOrNone<'ratio'>(),
  position_id: optionalText,
  future_position_uuid: optionalText,
  reason,
  actual_amount: lenient(decimal),
  hedge_rate: lenient(positiveOrNone<'ratio'>()),
  created_at: lenient(timestamp),
  updated_at: lenient(timestamp),
});

/**
 * {"id":"…","order_type":"LONG","trigger_type":"LIMIT","status":"CREATED","trade_currency":"USDT",
 *  "quantity":0.05,"filled_quantity":0,"price":4456,"filled_price":0,"leverage":80.9,
 *  "symbol":"ETHUSDT","future_position_uuid":"…","reason":{"message":"OK"}, …}
 *
 * Which optional ones are there differs between list, detail, history and order by id.
 */
export const orderSchema = madeOnce((asked: Currency | undefined) =>
  z.object(orderFields(asked)).transform((wire, context): OrderDetail => {
    const orderId = wire.id ?? wire.order_id;
    const fault = faultOf(wire);
    if (orderId === undefined || fault !== undefined) {
      context.addIssue({ code: 'custom', message: fault ?? 'has no id' });
      return z.NEVER;
    }
    return present({
      orderId,
      clientOrderId: wire.client_order_id,
      symbol: wire.symbol ?? undefined,
      currency: wire.trade_currency,
      ...ROLES[wire.order_type],
      type: wire.trigger_type === 'LIMIT' ? ('limit' as const) : ('market' as const),
      status: STATUSES[wire.status.toUpperCase()] ?? ('unrecognised' as const),
      quantity: wire.quantity,
      filledQuantity: wire.filled_quantity,
      price: wire.price,
      averagePrice: wire.filled_quantity > 0 ? wire.filled_price : undefined,
      leverage: wire.leverage,
      positionId: wire.position_id ?? wire.future_position_uuid,
      reason: wire.reason,
      actualAmount: wire.actual_amount,
      hedgeRate: wire.hedge_rate,
      createdAt: wire.created_at,
      updatedAt: wire.updated_at,
    });
  }),
);

/** The fields that the interface says are equal, and are not: such an answer is not believed. */
function faultOf(wire: {
  readonly id?: string | undefined;
  readonly order_id?: string | undefined;
  readonly position_id?: string | undefined;
  readonly future_position_uuid?: string | undefined;
  readonly quantity: Quantity;
  readonly filled_quantity: Quantity;
}): string | undefined {
  if (!isSame(wire.id, wire.order_id)) return 'id is not order_id';
  if (!isSame(wire.position_id, wire.future_position_uuid)) {
    return 'position_id is not future_position_uuid';
  }
  // Stops and targets show quantity 0, which stands for the whole position (supplement, part 6).
  const exceeds = wire.quantity > 0 && isMore(wire.filled_quantity, wire.quantity);
  return exceeds ? 'filled_quantity is above quantity' : undefined;
}

/** Rows of open orders or of order history. */
export const ordersSchema = madeOnce((asked: Currency) => rowsOf(orderSchema(asked)));

/** Ids that an order is asked for by. */
export type AskedOrder = OrderRef | { readonly orderId: string; readonly clientOrderId: string };

/** What speaks against an answer that reads: it is of another order than the one asked for. */
export const otherThan =
  (asked: AskedOrder) =>
  (order: OrderDetail): string | undefined =>
    isNamedBy(order, asked) ? undefined : 'is another order than was asked for';

/** Ids are case-sensitive (hazard A23). Not every shape of the answer tells the client id. */
export function isNamedBy(order: OrderDetail, asked: AskedOrder): boolean {
  if ('orderId' in asked && order.orderId !== asked.orderId) return false;
  if (!('clientOrderId' in asked)) return true;
  return (order.clientOrderId ?? asked.clientOrderId) === asked.clientOrderId;
}

/**
 * {"leverage":"5","quantity":"43.8","price":"0.11442","order_id":"…","status":"CREATED",
 *  "message":"OK","client_order_id":"…","position_id":"…"}; v1 and reverse also tell an amount.
 *
 * Only `order_id` is needed.
 */
export const placementSchema = z.compile(
  z
    .object({
      order_id: id,
      client_order_id: optionalText,
      position_id: optionalText,
      price: positiveOrNone<'price'>().catch(undefined),
      quantity: positiveOrNone<'quantity'>().catch(undefined),
      leverage: positiveOrNone<'ratio'>().catch(undefined),
      amount: lenient(decimal),
      message: lenient(optionalText),
    })
    .transform((wire): PlacementDetail =>
      present({
        orderId: wire.order_id,
        positionId: wire.position_id,
        price: wire.price,
        quantity: wire.quantity,
        clientOrderId: wire.client_order_id,
        leverage: wire.leverage,
        amount: wire.amount,
        message: wire.message,
      }),
    ),
);

/** An echo of another client id is the answer to another request. */
export const noEchoOf =
  (clientOrderId: string | undefined) =>
  (placed: PlacementDetail): string | undefined => {
    const sent = clientOrderId ?? placed.clientOrderId;
    return (placed.clientOrderId ?? sent) === sent
      ? undefined
      : 'client_order_id is of another order';
  };
