import type { FeeReport } from '../core/account.js';
import { textFromFixed } from '../core/fixed.js';
import { amountText, type MoneyForm } from './money-wire.js';
import { orderTypeText, timestamp, triggerTypeText, type WireObject } from './order-wire.js';

const FEE_TYPE = { transaction: 'TRANSACTION', funding: 'FUNDING', rebate: 'REBATE' } as const;

/** A fee record (interface): funding has no id and no order. Amounts are strings. */
export const feeWire = (fee: FeeReport, form: MoneyForm): WireObject => ({
  id: fee.id,
  symbol: fee.symbol,
  fee_amount: amountText(fee.amount, fee.currency, form),
  fee_perc: fee.percent,
  fee_type: FEE_TYPE[fee.kind],
  transaction_amount: textFromFixed(fee.value),
  trade_currency: fee.currency,
  order_type: fee.order === undefined ? undefined : orderTypeText(fee.order),
  trigger_type: fee.order === undefined ? undefined : triggerTypeText(fee.order),
  gst_amount: fee.gst === undefined ? undefined : amountText(fee.gst, fee.currency, form),
  created_at: timestamp(fee.createdAt),
});
