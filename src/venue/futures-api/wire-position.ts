import { z } from 'zod';
import type { CloseReport, ProtectionLeg } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Quantity } from '../../core/fixed.js';
import type { PositionDetail } from './futures-api.js';
import {
  amountOf,
  currencyTag,
  decimal,
  id,
  isSame,
  lenient,
  money,
  optionalText,
  positive,
  positiveOrNone,
  present,
  symbol,
  timestamp,
  madeOnce,
} from './wire-value.js';
import { rowsOf } from './wire-rows.js';

const side = z
  .enum(['LONG', 'SHORT'])
  .transform((word) => (word === 'LONG' ? ('long' as const) : ('short' as const)));

/**
 * {"price":"0.59","order_id":"…","order_type":"SHORT"}; unset: null, absent, or "0" and "". A price
 * without an order is neither: a leg of which nothing can be proved.
 */
const leg = z
  .object({ price: positiveOrNone<'price'>(), order_id: optionalText })
  .refine((wire) => wire.price !== undefined || wire.order_id === undefined, 'has no price')
  .nullish()
  .transform((wire): ProtectionLeg | undefined =>
    wire?.price === undefined ? undefined : present({ price: wire.price, orderId: wire.order_id }),
  );

/** States and transitions: INITIATED holds nothing yet, and a row that has ended is in history. */
const openStatus = z
  .string()
  .transform((word) => word.toUpperCase())
  .refine((word) => word === 'OPEN' || word === 'INITIATED', 'is no status of an open position')
  .nullish();

const position = (asked: Currency) =>
  z
    .object({
      id: optionalText,
      position_id: optionalText,
      symbol,
      status: openStatus,
      trade_currency: currencyTag(asked),
      order_type: side,
      quantity: amountOf<'quantity'>(),
      entry_price: amountOf<'price'>(),
      leverage: positive<'ratio'>(),
      liquidation_price: positiveOrNone<'price'>(),
      initial_margin: money,
      maintenance_margin: money,
      stoploss: leg,
      takeprofit: leg,
      entry_hedge_rate: lenient(positiveOrNone<'ratio'>()),
      created_at: lenient(timestamp),
      updated_at: lenient(timestamp),
    })
    .refine((wire) => (wire.position_id ?? wire.id) !== undefined, 'has no id')
    .refine(({ id, position_id: other }) => isSame(id, other), 'id is not position_id')
    .refine((wire) => isInitiated(wire) || wire.entry_price > 0, 'has no entry price')
    .transform((wire): PositionDetail | undefined => {
      if (isInitiated(wire)) return undefined;
      return present({
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

/** It holds nothing, whatever else its row shows. */
const isInitiated = (wire: {
  readonly status?: string | null | undefined;
  readonly quantity: Quantity;
}): boolean => wire.status === 'INITIATED' || wire.quantity === 0;

/**
 * {"entry_price":"0.6075","quantity":"68.86","leverage":"3","liquidation_price":"0.4091",
 *  "initial_margin":"13.96060466","maintenance_margin":"0.43471001","order_type":"LONG",
 *  "status":"OPEN","id":"…","symbol":"APTUSDT","trade_currency":"USDT","stoploss":{…}, …}
 *
 * A row that is INITIATED, or without quantity, is no position.
 */
export const positionsSchema = madeOnce((asked: Currency) =>
  rowsOf(z.compile(position(asked))).transform(({ rows, unreadable }) => ({
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
export const closesSchema = madeOnce((asked: Currency) =>
  rowsOf(
    z
      .object({
        id,
        position_id: id,
        order_id: optionalText,
        symbol,
        trade_currency: currencyTag(asked),
        position_type: side,
        status: z.enum(['PARTIAL', 'CLOSED', 'LIQUIDATED']),
        quantity: amountOf<'quantity'>(),
        entry_price: amountOf<'price'>(),
        closed_price: amountOf<'price'>(),
        pnl: money,
        leverage: lenient(positiveOrNone<'ratio'>()),
        entry_hedge_rate: lenient(positiveOrNone<'ratio'>()),
        exit_hedge_rate: lenient(positiveOrNone<'ratio'>()),
        created_at: timestamp,
        updated_at: timestamp,
      })
      .transform((wire): CloseReport =>
        present({
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
  .object({ initial_margin: money, liquidation_price: positiveOrNone<'price'>() })
  .transform((wire) =>
    present({ initialMargin: wire.initial_margin, liquidationPrice: wire.liquidation_price }),
  );

/** "0.0926883614301247": a bare string, unrounded when a margin was supposed (supplement 11.3). */
export const liquidationPriceSchema = decimal.refine((price) => price.gte(0), 'is below 0');

/** `true`, {"order_id":"…","position_id":"…","quantity":"20"}, or the like with empty strings. */
export const closeSchema = z
  .union([
    z.object({ order_id: lenient(optionalText) }),
    z.literal(true).transform(() => ({ order_id: undefined })),
  ])
  .transform((wire) => present({ orderId: wire.order_id }));
