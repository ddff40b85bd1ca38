import { z } from 'zod';
import type { Currency } from '../../../core/currency.js';
import type { FeeDetail } from '../futures-api.js';
import { ROLES } from './wire-order.js';
import {
  currencySchema,
  decimalSchema,
  lenientSchema,
  moneySchema,
  optionalTextSchema,
  withoutUndefined,
  symbolSchema,
  timestampSchema,
  memoizeSchema,
} from './wire-value.js';
import { rowsSchema } from './wire-rows.js';

const KINDS = { TRANSACTION: 'transaction', FUNDING: 'funding', REBATE: 'rebate' } as const;
const orderType = z.enum(['LONG', 'SHORT', 'STOPLOSS', 'TAKEPROFIT']);
const TRIGGER_TYPES = { MARKET: 'market', LIMIT: 'limit' } as const;
const triggerType = z.enum(['MARKET', 'LIMIT']);

interface WireOrder {
  readonly order_type: z.output<typeof orderType> | undefined;
  readonly trigger_type: z.output<typeof triggerType> | undefined;
}

/** The charged order. Funding rows have none, even if their fields are set. */
function orderOf({ order_type, trigger_type }: WireOrder): FeeDetail['order'] {
  if (order_type === undefined || trigger_type === undefined) return undefined;
  return { ...ROLES[order_type], type: TRIGGER_TYPES[trigger_type] };
}

/**
 * {"id":"…","symbol":"XRPUSDT","fee_amount":"0.035","fee_perc":"0.059","fee_type":"TRANSACTION",
 *  "transaction_amount":"59.4","trade_currency":"INR","order_type":"LONG","trigger_type":"MARKET",
 *  "gst_amount":"0.0053", …}. A FUNDING row has no id, order or GST; a credit is below 0.
 */
export const feesSchema = memoizeSchema((requested: Currency) =>
  rowsSchema(
    z
      .object({
        id: lenientSchema(optionalTextSchema),
        symbol: symbolSchema,
        trade_currency: currencySchema(requested),
        fee_type: z.enum(['TRANSACTION', 'FUNDING', 'REBATE']),
        fee_amount: moneySchema,
        transaction_amount: moneySchema,
        fee_perc: decimalSchema,
        order_type: lenientSchema(orderType),
        trigger_type: lenientSchema(triggerType),
        gst_amount: lenientSchema(moneySchema),
        created_at: lenientSchema(timestampSchema),
      })
      .transform((wire): FeeDetail =>
        withoutUndefined({
          id: wire.id,
          symbol: wire.symbol,
          currency: wire.trade_currency,
          kind: KINDS[wire.fee_type],
          amount: wire.fee_amount,
          value: wire.transaction_amount,
          percent: wire.fee_perc.toFixed(),
          order: wire.fee_type === 'FUNDING' ? undefined : orderOf(wire),
          gst: wire.gst_amount,
          createdAt: wire.created_at,
        }),
      ),
  ),
);
