import { z } from 'zod';
import type { CloseReport, PositionReport, ProtectionLeg } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import {
  amountOf,
  currencyTag,
  id,
  listOf,
  money,
  optionalText,
  positive,
  positiveOrNone,
  present,
  symbol,
  timestamp,
} from './wire-value.js';

const side = z
  .enum(['LONG', 'SHORT'])
  .transform((word) => (word === 'LONG' ? ('long' as const) : ('short' as const)));

/** {"price":"0.59","order_id":"…","order_type":"SHORT"}; unset: null, absent, or "0" and "". */
const leg = z
  .object({ price: positiveOrNone<'price'>(), order_id: optionalText })
  .nullish()
  .transform((wire): ProtectionLeg | undefined =>
    wire?.price === undefined || wire.order_id === undefined
      ? undefined
      : { price: wire.price, orderId: wire.order_id },
  );

const position = (asked: Currency) =>
  z
    .object({
      id: optionalText,
      position_id: optionalText,
      symbol,
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
    })
    .refine((wire) => (wire.position_id ?? wire.id) !== undefined, 'has no id')
    .refine((wire) => wire.entry_price > 0 || wire.quantity === 0, 'has no entry price')
    .transform((wire): PositionReport =>
      present({
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
      }),
    );

/**
 * {"entry_price":"0.6075","quantity":"68.86","leverage":"3","liquidation_price":"0.4091",
 *  "initial_margin":"13.96060466","maintenance_margin":"0.43471001","order_type":"LONG",
 *  "status":"OPEN","id":"…","symbol":"APTUSDT","trade_currency":"USDT","stoploss":{…}, …}
 *
 * A row without quantity holds nothing: it is initiated, not open.
 */
export const positionsSchema = (asked: Currency) =>
  listOf(position(asked)).transform((rows) => rows.filter(({ quantity }) => quantity > 0));

const KINDS = { PARTIAL: 'partial', CLOSED: 'closed', LIQUIDATED: 'liquidated' } as const;

/**
 * {"id":"…","position_id":"…","order_id":"…","position_type":"LONG","status":"CLOSED",
 *  "entry_price":"0.6075","closed_price":"0.61","quantity":"68.86","pnl":"0.17215",
 *  "symbol":"APTUSDT","trade_currency":"USDT","created_at":"…Z","updated_at":"…Z", …}
 */
export const closesSchema = (asked: Currency) =>
  listOf(
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
          openedAt: wire.created_at,
          closedAt: wire.updated_at,
        }),
      ),
  );
