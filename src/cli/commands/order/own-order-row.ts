import { textFromFixed, type Fixed } from '../../../core/fixed/fixed.js';
import type { OrderTerms } from '../../../core/order.js';
import type { OwnOrder } from '../../../execution/order/own-order.js';
import type { Row } from '../../../report/rows-table.js';

const text = (value: Fixed | undefined): string | null =>
  value === undefined ? null : textFromFixed(value);

/** A text such as `buy 0.01 BTCUSDT, at 60000`. */
export function orderTermsText(terms: OrderTerms): string {
  const { side, quantity, symbol, price, reduceOnly, stopLoss, takeProfit } = terms;
  const parts = [
    `${side} ${textFromFixed(quantity)} ${symbol}`,
    price === undefined ? 'at the market' : `at ${textFromFixed(price)}`,
    reduceOnly ? 'reduce only' : '',
    stopLoss === undefined ? '' : `stop ${textFromFixed(stopLoss)}`,
    takeProfit === undefined ? '' : `target ${textFromFixed(takeProfit)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/**
 * An own order as a record. `status` of an ended order: `filled`, `canceled`, `rejected`, `dropped`
 * (never sent) or `burned` (its id is used up). Otherwise `open` when the venue has accepted it, else
 * `unknown`.
 */
export const ownOrderRow = (order: OwnOrder): Row => ({
  client_order_id: order.clientOrderId,
  order_id: order.orderId ?? null,
  symbol: order.terms.symbol,
  side: order.terms.side,
  type: order.terms.type,
  status: statusOf(order),
  quantity: text(order.terms.quantity),
  filled_quantity: text(order.filledQuantity),
  price: text(order.terms.price),
  average_price: text(order.averagePrice),
  reduce_only: order.terms.reduceOnly,
  stop_loss: text(order.terms.stopLoss),
  take_profit: text(order.terms.takeProfit),
  currency: order.terms.currency,
  position_id: order.positionId ?? null,
  reason: order.endReason ?? null,
});

function statusOf({ ended, state }: OwnOrder): string {
  if (ended) return state;
  return state === 'accepted' ? 'open' : 'unknown';
}

/** The state at the venue is known; no further read is due. */
export const isProved = (order: OwnOrder): boolean =>
  order.ended || (order.state === 'accepted' && wasQueried(order) && order.terms.type === 'limit');

const wasQueried = ({ lastReadAt }: OwnOrder): boolean => lastReadAt > Number.NEGATIVE_INFINITY;
