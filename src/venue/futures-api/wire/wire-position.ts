import { z } from 'zod';
import type { CloseReport, ProtectiveOrderReport } from '../../../core/account.js';
import type { Currency } from '../../../core/currency.js';
import type { Quantity } from '../../../core/fixed/fixed.js';
import type { PositionDetail } from '../futures-api.js';
import {
  nonNegativeSchema,
  currencySchema,
  decimalSchema,
  idSchema,
  areConsistent,
  lenientSchema,
  moneySchema,
  optionalTextSchema,
  positiveSchema,
  positiveOrAbsentSchema,
  withoutUndefined,
  symbolSchema,
  timestampSchema,
  memoizeSchema,
} from './wire-value.js';
import { rowsSchema } from './wire-rows.js';

const side = z
  .enum(['LONG', 'SHORT'])
  .transform((text) => (text === 'LONG' ? ('long' as const) : ('short' as const)));

/**
 * {"price":"0.59","order_id":"…","order_type":"SHORT"}. Unset is null, absent, or "0" and "". A price
 * without an order id is a protective order that cannot be verified.
 */
const protectiveOrder = z
  .object({ price: positiveOrAbsentSchema<'price'>(), order_id: optionalTextSchema })
  .refine((wire) => wire.price !== undefined || wire.order_id === undefined, 'has no price')
  .nullish()
  .transform((wire): ProtectiveOrderReport | undefined =>
    wire?.price === undefined
      ? undefined
      : withoutUndefined({ price: wire.price, orderId: wire.order_id }),
  );

/** INITIATED has no quantity yet. Ended positions are rows of the history only. */
const openStatus = z
  .string()
  .transform((text) => text.toUpperCase())
  .refine((text) => text === 'OPEN' || text === 'INITIATED', 'is no status of an open position')
  .nullish();

const position = (requested: Currency) =>
  z
    .object({
      id: optionalTextSchema,
      position_id: optionalTextSchema,
      symbol: symbolSchema,
      status: openStatus,
      trade_currency: currencySchema(requested),
      order_type: side,
      quantity: nonNegativeSchema<'quantity'>(),
      entry_price: nonNegativeSchema<'price'>(),
      leverage: positiveSchema<'ratio'>(),
      liquidation_price: positiveOrAbsentSchema<'price'>(),
      initial_margin: moneySchema,
      maintenance_margin: moneySchema,
      stoploss: protectiveOrder,
      takeprofit: protectiveOrder,
      entry_hedge_rate: lenientSchema(positiveOrAbsentSchema<'ratio'>()),
      created_at: lenientSchema(timestampSchema),
      updated_at: lenientSchema(timestampSchema),
    })
    .refine((wire) => (wire.position_id ?? wire.id) !== undefined, 'has no id')
    .refine(({ id, position_id: other }) => areConsistent(id, other), 'id is not position_id')
    .refine((wire) => isInitiated(wire) || wire.entry_price > 0, 'has no entry price')
    .transform((wire): PositionDetail | undefined => {
      if (isInitiated(wire)) return undefined;
      return withoutUndefined({
        positionId: wire.position_id ?? wire.id ?? '',
        symbol: wire.symbol,
        currency: wire.trade_currency,
        side: wire.order_type,
        quantity: wire.quantity,
        entryPrice: wire.entry_price,
        leverage: wire.leverage,
        liquidationPrice: wire.liquidation_price,
        initialMargin: wire.initial_margin,
        maintenanceMargin: wire.maintenance_margin,
        stopLoss: wire.stoploss,
        takeProfit: wire.takeprofit,
        entryHedgeRate: wire.entry_hedge_rate,
        createdAt: wire.created_at,
        updatedAt: wire.updated_at,
      });
    });

/** A position without quantity; its other fields do not matter. */
const isInitiated = (wire: {
  readonly status?: string | null | undefined;
  readonly quantity: Quantity;
}): boolean => wire.status === 'INITIATED' || wire.quantity === 0;

/**
 * {"entry_price":"0.6075","quantity":"68.86","leverage":"3","liquidation_price":"0.4091",
 *  "initial_margin":"13.96060466","maintenance_margin":"0.43471001","order_type":"LONG",
 *  "status":"OPEN","id":"…","symbol":"APTUSDT","trade_currency":"USDT","stoploss":{…}, …}
 *
 * Rows that are INITIATED or have no quantity are dropped.
 */
export const positionsSchema = memoizeSchema((requested: Currency) =>
  rowsSchema(z.compile(position(requested))).transform(({ rows, unreadable }) => ({
    rows: rows.filter((row) => row !== undefined),
    unreadable,
  })),
);

const KINDS = { PARTIAL: 'partial', CLOSED: 'closed', LIQUIDATED: 'liquidated' } as const;

/**
 * {"id":"…","position_id":"…","order_id":"…","position_type":"LONG","status":"CLOSED",
 *  "entry_price":"0.6075","closed_price":"0.61","quantity":"68.86","pnl":"0.17215",
 *  "symbol":"APTUSDT","trade_currency":"USDT","created_at":"…Z","updated_at":"…Z", …}
 */
export const closesSchema = memoizeSchema((requested: Currency) =>
  rowsSchema(
    z
      .object({
        id: idSchema,
        position_id: idSchema,
        order_id: optionalTextSchema,
        symbol: symbolSchema,
        trade_currency: currencySchema(requested),
        position_type: side,
        status: z.enum(['PARTIAL', 'CLOSED', 'LIQUIDATED']),
        quantity: nonNegativeSchema<'quantity'>(),
        entry_price: nonNegativeSchema<'price'>(),
        closed_price: nonNegativeSchema<'price'>(),
        pnl: moneySchema,
        leverage: lenientSchema(positiveOrAbsentSchema<'ratio'>()),
        entry_hedge_rate: lenientSchema(positiveOrAbsentSchema<'ratio'>()),
        exit_hedge_rate: lenientSchema(positiveOrAbsentSchema<'ratio'>()),
        created_at: timestampSchema,
        updated_at: timestampSchema,
      })
      .transform((wire): CloseReport =>
        withoutUndefined({
          rowId: wire.id,
          positionId: wire.position_id,
          orderId: wire.order_id,
          symbol: wire.symbol,
          currency: wire.trade_currency,
          side: wire.position_type,
          kind: KINDS[wire.status],
          quantity: wire.quantity,
          entryPrice: wire.entry_price,
          closePrice: wire.closed_price,
          pnl: wire.pnl,
          leverage: wire.leverage,
          entryHedgeRate: wire.entry_hedge_rate,
          exitHedgeRate: wire.exit_hedge_rate,
          openedAt: wire.created_at,
          closedAt: wire.updated_at,
        }),
      ),
  ),
);

/** {"message":"OK","initial_margin":"96.44","liquidation_price":"0.09281","trade_currency":"INR"} */
export const marginChangeSchema = z
  .object({ initial_margin: moneySchema, liquidation_price: positiveOrAbsentSchema<'price'>() })
  .transform((wire) =>
    withoutUndefined({
      initialMargin: wire.initial_margin,
      liquidationPrice: wire.liquidation_price,
    }),
  );

/** "0.0926883614301247": a bare string, unrounded for a hypothetical margin. */
export const liquidationPriceSchema = decimalSchema.refine((price) => price.gte(0), 'is below 0');

/** `true`, or {"order_id":"…","position_id":"…","quantity":"20"}, perhaps with empty strings. */
export const closeSchema = z
  .union([
    z.object({ order_id: lenientSchema(optionalTextSchema) }),
    z.literal(true).transform(() => ({ order_id: undefined })),
  ])
  .transform((wire) => withoutUndefined({ orderId: wire.order_id }));
