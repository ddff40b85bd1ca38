import { z } from 'zod';
import type { ExecutionReport } from '../futures-api.js';
import { matchesLookup, orderSchema } from './wire-order.js';
import {
  nonNegativeSchema,
  decimalSchema,
  idSchema,
  lenientSchema,
  listSchema,
  moneySchema,
  positiveSchema,
  withoutUndefined,
  timestampSchema,
} from './wire-value.js';

type Execution = ExecutionReport['executions'][number];

/**
 * {"is_maker":false,"filled_price":"0.11442","filled_qty":"43.8","filled_value":"5.011596",
 *  "trading_fee":"0.0029","filled_time":"2026-07-02T10:15:30.123Z","trxn_id":"…"}
 */
const execution = z
  .object({
    trxn_id: idSchema,
    is_maker: z.boolean(),
    filled_price: positiveSchema<'price'>(),
    filled_qty: nonNegativeSchema<'quantity'>(),
    filled_value: decimalSchema,
    trading_fee: moneySchema,
    filled_time: timestampSchema,
  })
  .transform((wire): Execution => ({
    transactionId: wire.trxn_id,
    maker: wire.is_maker,
    price: wire.filled_price,
    quantity: wire.filled_qty,
    value: wire.filled_value,
    fee: wire.trading_fee,
    filledAt: wire.filled_time,
  }));

const fills = z
  .object({
    order_value: lenientSchema(decimalSchema),
    filled_value: lenientSchema(decimalSchema),
    end_time: lenientSchema(timestampSchema),
    executions: listSchema(execution).optional(),
  })
  .transform((wire) =>
    withoutUndefined({
      orderValue: wire.order_value,
      filledValue: wire.filled_value,
      endedAt: wire.end_time,
      executions: wire.executions ?? [],
    }),
  );

/** All fields of an order, and {"order_value","filled_value","end_time","executions":[…]}. */
export const executionReportSchema = (orderId: string) =>
  z
    .intersection(orderSchema(undefined), fills)
    .transform((report): ExecutionReport => report)
    .refine(
      (report) => matchesLookup(report, { orderId }),
      'is another order than the requested one',
    );
