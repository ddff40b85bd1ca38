import { z } from 'zod';
import type { Currency } from '../../core/currency.js';
import type { FeeDetail } from './futures-api.js';
import { ROLES } from './wire-order.js';
import {
  currencyTag,
  decimal,
  lenient,
  money,
  optionalText,
  present,
  symbol,
  timestamp,
  madeOnce,
} from './wire-value.js';
import { rowsOf } from './wire-rows.js';

const KINDS = { TRANSACTION: 'transaction', FUNDING: 'funding', REBATE: 'rebate' } as const;
const orderType = z.enum(['LONG', 'SHORT', 'STOPLOSS', 'TAKEPROFIT']);
const TRIGGER_TYPES = { MARKET: 'market', LIMIT: 'limit' } as const;
const triggerType = z.enum(['MARKET', 'LIMIT']);

interface WireOrder {
  readonly order_type: z.output<typeof orderType> | undefined;
  readonly trigger_type: z.output<typeof triggerType> | undefined;
}

/** Of the order that was charged; funding rows have none, whatever stands in the fields. */
function orderOf({ order_type, trigger_type }: WireOrder): FeeDetail['order'] {
  if (order_type === undefined || trigger_type === undefined) return undefined;
  return { ...ROLES[order_type], type: TRIGGER_TYPES[trigger_type] };
}

/**
 * {"id":"…","symbol":"XRPUSDT","fee_amount":"0.035","fee_perc":"0.059","fee_type":"TRANSACTION",
 *  "transaction_amount":"59.4","trade_currency":"INR","order_type":"LONG","trigger_type":"MARKET",
 *  "gst_amount":"0.0053", …}; a FUNDING row has no id, order or GST, and is below 0 when a credit.
 */
export const feesSchema = madeOnce((asked: Currency) =>
  rowsOf(
    z
      .object({
        id: lenient(optionalText),
        symbol,
        trade_currency: currencyTag(asked),
        fee_type: z.enum(['TRANSACTION', 'FUNDING', 'REBATE']),
        fee_amount: money,
        transaction_amount: money,
        fee_perc: decimal,
        order_type: lenient(orderType),
        trigger_type: lenient(triggerType),
        gst_amount: lenient(money),
        created_at: lenient(timestamp),
      })
      .transform((wire): FeeDetail =>
        present({
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
