import type { FeeReport } from '../../core/account.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import { PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import { amountText, type MoneyFormat } from '../wire/money-wire.js';
import {
  orderTypeText,
  triggerTypeText,
  wireTimestamp,
  type WireObject,
} from '../wire/order-wire.js';
import { pageOf, parsePage } from '../http/page.js';
import { rejection } from '../http/rejection-text.js';
import { parseCurrency } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';

export const feeRoutes = (context: RouteContext): readonly Route[] => [
  { method: 'GET', path: '/fapi/v1/futures/fee/history', handle: (call) => history(context, call) },
];

/** Here `offset` always counts records, unlike elsewhere (interface: GET fee history). */
function history(context: RouteContext, call: RouteCall): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, { offset: 'count', cap: context.switches.listCap });
  if (page === undefined) return PARAMS_ERROR;
  const rows = pageOf(context.exchange.fees(currency), page, (fee) => fee.createdAt);
  return success(rows.map((fee) => feeWire(fee, context.switches)));
}

const FEE_TYPE = { transaction: 'TRANSACTION', funding: 'FUNDING', rebate: 'REBATE' } as const;

/** A fee record: funding has no id and no order, amounts are strings (interface: fee history). */
const feeWire = (fee: FeeReport, format: MoneyFormat): WireObject => ({
  id: fee.id,
  symbol: fee.symbol,
  fee_amount: amountText(fee.amount, fee.currency, format),
  fee_perc: fee.percent,
  fee_type: FEE_TYPE[fee.kind],
  transaction_amount: textFromFixed(fee.value),
  trade_currency: fee.currency,
  order_type: fee.order === undefined ? undefined : orderTypeText(fee.order),
  trigger_type: fee.order === undefined ? undefined : triggerTypeText(fee.order),
  gst_amount: fee.gst === undefined ? undefined : amountText(fee.gst, fee.currency, format),
  created_at: wireTimestamp(fee.createdAt),
});
