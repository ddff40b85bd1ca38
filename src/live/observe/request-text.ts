import { textFromFixed } from '../../core/fixed/fixed.js';
import type { OrderRef, OrderTerms } from '../../core/order.js';
import type { RequestOf } from '../../core/request.js';
import type { ChangeKind } from './change-kind.js';

/** A request that changes something, for people: `buy 0.004 BTCUSDT at market, stop 61000`. */
export function requestText(request: RequestOf<ChangeKind>): string {
  switch (request.kind) {
    case 'place':
      return orderText(request.terms);
    case 'cancel':
      return `cancel of order ${refText(request.order)}`;
    case 'set-leverage':
      return `leverage ${textFromFixed(request.leverage)} of ${request.symbol} in ${request.currency}`;
    case 'amend':
      return `order ${request.orderId} at ${textFromFixed(request.price)} for ${textFromFixed(request.quantity)}`;
    case 'set-leg':
    case 'move-leg': {
      const leg = request.slot === 'stopLoss' ? 'stop loss' : 'take profit';
      return `${leg} of position ${request.positionId} at ${textFromFixed(request.price)}`;
    }
    case 'change-margin':
      return `margin ${textFromFixed(request.change)} to position ${request.positionId}`;
    case 'transfer':
      return `${request.direction} of ${textFromFixed(request.amount)} ${request.currency}`;
  }
}

function orderText(terms: OrderTerms): string {
  const { side, quantity, symbol, type, price, reduceOnly, stopLoss, takeProfit } = terms;
  const at = type === 'limit' && price !== undefined ? `limit ${textFromFixed(price)}` : 'market';
  return [
    `${side} ${textFromFixed(quantity)} ${symbol} at ${at}`,
    ...(reduceOnly ? ['reduce-only'] : []),
    ...(stopLoss === undefined ? [] : [`stop ${textFromFixed(stopLoss)}`]),
    ...(takeProfit === undefined ? [] : [`target ${textFromFixed(takeProfit)}`]),
  ].join(', ');
}

const refText = (order: OrderRef): string =>
  'orderId' in order ? order.orderId : order.clientOrderId;
