import { z } from 'zod';
import type { Currency } from '../../../core/currency.js';
import { isGreater, type Quantity } from '../../../core/fixed/fixed.js';
import type { OrderRef, OrderReport, OrderStatus, Side } from '../../../core/order.js';
import type { OrderDetail, PlacementDetail } from '../futures-api.js';
import {
  nonNegativeSchema,
  currencySchema,
  decimalSchema,
  idSchema,
  areConsistent,
  lenientSchema,
  optionalTextSchema,
  positiveOrAbsentSchema,
  withoutUndefined,
  symbolSchema,
  timestampSchema,
  memoizeSchema,
} from './wire-value.js';
import { rowsSchema } from './wire-rows.js';

/** Statuses of the interface. An order with any other status keeps its exposure (hazard G11). */
const STATUSES: Readonly<Record<string, OrderStatus>> = {
  CREATED: 'created',
  PARTIAL_FILLED: 'partially-filled',
  FILLED: 'filled',
  CANCELLED: 'canceled',
  SYSTEM_CANCELLED: 'system-canceled',
};

/** `order_type` is the side of a regular order, or the role of a protective order. */
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
  .union([z.object({ message: optionalTextSchema }), z.string(), z.null()])
  .optional()
  .transform((value) => {
    const text = typeof value === 'object' ? value?.message : value;
    // Every accepted order has "OK", which is no reason of an end.
    return text === undefined || text === '' || text === 'OK' ? undefined : text;
  });

const orderFields = (requested?: Currency) => ({
  id: optionalTextSchema,
  order_id: optionalTextSchema,
  client_order_id: optionalTextSchema,
  symbol: symbolSchema.nullish(),
  order_type: z.enum(['LONG', 'SHORT', 'STOPLOSS', 'TAKEPROFIT']),
  trigger_type: z.enum(['MARKET', 'LIMIT']),
  status: z.string(),
  trade_currency: currencySchema(requested),
  quantity: nonNegativeSchema<'quantity'>(),
  filled_quantity: nonNegativeSchema<'quantity'>(),
  price: positiveOrAbsentSchema<'price'>(),
  filled_price: positiveOrAbsentSchema<'price'>(),
  leverage: positiveOrAbsentSchema<'ratio'>(),
  position_id: optionalTextSchema,
  future_position_uuid: optionalTextSchema,
  reason,
  actual_amount: lenientSchema(decimalSchema),
  hedge_rate: lenientSchema(positiveOrAbsentSchema<'ratio'>()),
  created_at: lenientSchema(timestampSchema),
  updated_at: lenientSchema(timestampSchema),
});

/**
 * {"id":"…","order_type":"LONG","trigger_type":"LIMIT","status":"CREATED","trade_currency":"USDT",
 *  "quantity":0.05,"filled_quantity":0,"price":4456,"filled_price":0,"leverage":80.9,
 *  "symbol":"ETHUSDT","future_position_uuid":"…","reason":{"message":"OK"}, …}
 *
 * The optional fields differ between list, detail, history and order by id.
 */
export const orderSchema = memoizeSchema((requested: Currency | undefined) =>
  z.object(orderFields(requested)).transform((wire, context): OrderDetail => {
    const orderId = wire.id ?? wire.order_id;
    const fault = inconsistencyOf(wire);
    if (orderId === undefined || fault !== undefined) {
      context.addIssue({ code: 'custom', message: fault ?? 'has no id' });
      return z.NEVER;
    }
    return withoutUndefined({
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

/** The first contradiction between fields. Such an answer is unreadable. */
function inconsistencyOf(wire: {
  readonly id?: string | undefined;
  readonly order_id?: string | undefined;
  readonly position_id?: string | undefined;
  readonly future_position_uuid?: string | undefined;
  readonly quantity: Quantity;
  readonly filled_quantity: Quantity;
}): string | undefined {
  if (!areConsistent(wire.id, wire.order_id)) return 'id is not order_id';
  if (!areConsistent(wire.position_id, wire.future_position_uuid)) {
    return 'position_id is not future_position_uuid';
  }
  // Stops and take profits have quantity 0, which means the whole position (supplement: risk orders).
  const exceeds = wire.quantity > 0 && isGreater(wire.filled_quantity, wire.quantity);
  return exceeds ? 'filled_quantity is above quantity' : undefined;
}

/** Rows of open orders or of order history. */
export const ordersSchema = memoizeSchema((requested: Currency) =>
  rowsSchema(orderSchema(requested)),
);

/** The ids of an order lookup. */
export type OrderIdentifiers =
  OrderRef | { readonly orderId: string; readonly clientOrderId: string };

/** The fault of a readable answer about another order than the requested one. */
export const wrongOrder =
  (requested: OrderIdentifiers) =>
  (order: OrderDetail): string | undefined =>
    matchesLookup(order, requested) ? undefined : 'is another order than the requested one';

/** Ids are case-sensitive (hazard A23). Some answers lack the client id. */
export function matchesLookup(order: OrderDetail, requested: OrderIdentifiers): boolean {
  if ('orderId' in requested && order.orderId !== requested.orderId) return false;
  if (!('clientOrderId' in requested)) return true;
  return (order.clientOrderId ?? requested.clientOrderId) === requested.clientOrderId;
}

/**
 * {"leverage":"5","quantity":"43.8","price":"0.11442","order_id":"…","status":"CREATED",
 *  "message":"OK","client_order_id":"…","position_id":"…"}. v1 and reverse also have an amount.
 *
 * Only `order_id` is required.
 */
export const placementSchema = z.compile(
  z
    .object({
      order_id: idSchema,
      client_order_id: optionalTextSchema,
      position_id: optionalTextSchema,
      price: positiveOrAbsentSchema<'price'>().catch(undefined),
      quantity: positiveOrAbsentSchema<'quantity'>().catch(undefined),
      leverage: positiveOrAbsentSchema<'ratio'>().catch(undefined),
      amount: lenientSchema(decimalSchema),
      message: lenientSchema(optionalTextSchema),
    })
    .transform((wire): PlacementDetail =>
      withoutUndefined({
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

/** The fault of an answer with another client id: it belongs to another request. */
export const wrongEcho =
  (clientOrderId: string | undefined) =>
  (placed: PlacementDetail): string | undefined => {
    const sent = clientOrderId ?? placed.clientOrderId;
    return (placed.clientOrderId ?? sent) === sent
      ? undefined
      : 'client_order_id is of another order';
  };
