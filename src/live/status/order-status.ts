import { textFromFixed, type Fixed } from '../../core/fixed/fixed.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OpenOrderStatus } from './status-report.js';

export const textOrNull = (value: Fixed | undefined): string | null =>
  value === undefined ? null : textFromFixed(value);

export const orderStatus = ({
  clientOrderId,
  owner,
  terms,
  filledQuantity,
  state,
}: OwnOrder): OpenOrderStatus => ({
  client_order_id: clientOrderId,
  strategy: owner,
  symbol: terms.symbol,
  side: terms.side,
  type: terms.type,
  quantity: textFromFixed(terms.quantity),
  filled: textFromFixed(filledQuantity),
  price: textOrNull(terms.price),
  reduce_only: terms.reduceOnly,
  state,
});
