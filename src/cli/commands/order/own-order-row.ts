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
 * An own order as a record, with the terms that were asked for. `status` of an ended order: `filled`,
 * `canceled`, `rejected`, `dropped` (never sent) or `burned` (its id is used up). Otherwise `open` when the
 * venue has accepted it, else `unknown`.
 */
export function ownOrderRow(order: OwnOrder): Row {
  // The fence under its id is no order that anybody asked for.
  const terms = order.isFence ? order.intent.terms : order.terms;
  return {
    client_order_id: order.clientOrderId,
    order_id: order.orderId ?? null,
    symbol: terms.symbol,
    side: terms.side,
    type: terms.type,
    status: statusOf(order),
    quantity: text(terms.quantity),
    filled_quantity: text(order.filledQuantity),
    price: text(terms.price),
    average_price: text(order.averagePrice),
    reduce_only: terms.reduceOnly,
    stop_loss: text(terms.stopLoss),
    take_profit: text(terms.takeProfit),
    currency: terms.currency,
    position_id: order.positionId ?? null,
    reason: order.endReason ?? null,
  };
}

function statusOf(order: OwnOrder): string {
  if (isFencedOff(order)) return 'burned';
  if (order.ended) return order.state;
  return order.state === 'accepted' && !order.isFence ? 'open' : 'unknown';
}

/** The state at the venue is known; no further read is due. */
export const isProved = (order: OwnOrder): boolean =>
  order.ended || (order.state === 'accepted' && wasQueried(order) && isResting(order));

const isResting = ({ terms, isFence }: OwnOrder): boolean => terms.type === 'limit' && !isFence;

/** Its request never became an order: a fence took its id, and was canceled without a fill. */
export const isFencedOff = ({ isFence, ended, filledQuantity }: OwnOrder): boolean =>
  isFence && ended && filledQuantity === 0;

const wasQueried = ({ lastReadAt }: OwnOrder): boolean => lastReadAt > Number.NEGATIVE_INFINITY;
