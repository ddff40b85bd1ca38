import type { RejectionCode } from '../../core/rejection.js';
import { failure, type RouteReply } from './http-message.js';

/** Status and text of each refusal (interface: error tables). */
const REJECTIONS: Readonly<Record<RejectionCode, readonly [number, string]>> = {
  'invalid-currency': [400, 'Invalid trade currency'],
  'invalid-trigger-type': [400, 'trigger_type must be MARKET or LIMIT'],
  'invalid-order-type': [400, 'order_type must be LONG or SHORT'],
  'limit-price-missing': [400, 'order_price must be > 0 for LIMIT orders'],
  'quantity-step': [400, 'quantity not a multiple of the quantity step'],
  'quantity-range': [400, 'order quantity out of permissible range'],
  'price-step': [400, 'price not a multiple of the price step'],
  'price-range': [400, 'order price out of permissible range'],
  'notional-below-minimum': [400, 'order value less than minimum required value'],
  'invalid-stop-loss': [400, 'invalid stop loss price'],
  'invalid-take-profit': [400, 'invalid takeprofit price'],
  'leverage-not-set': [400, 'leverage not found'],
  'leverage-range': [400, 'leverage out of permissible range'],
  'insufficient-balance': [400, 'insufficient balance'],
  'reduce-only-without-position': [400, 'reduce only order in new position'],
  'reduce-only-same-side': [400, 'reduce only order on same side of the position'],
  'params-error': [400, 'Params error'],
  delisting: [400, 'This trading pair is being delisted'],
  'asset-not-found': [404, 'future asset not found'],
  'client-order-id-exists': [409, 'client order id already exists'],
  'invalid-client-order-id': [400, 'invalid order identifier'],
  locked: [423, 'action not allowed: another user action in progress'],
  'rate-limited': [429, 'API rate limit exceeded'],
  'order-not-found': [404, 'order not found'],
  'order-not-open': [400, 'order is not open'],
  'order-reference-missing': [400, 'order id or client order id is required'],
  'position-not-found': [404, 'Position not found'],
  'position-not-open': [400, 'position is not open'],
  'position-not-in-sync': [400, 'position not in sync with exchange'],
  'protection-refused': [400, 'Risk order creation failed'],
  'protection-order-missing': [400, 'risk order id missing'],
  'insufficient-funds': [400, 'Insufficient funds'],
  'wallets-equal': [400, 'From and To wallet types must be different'],
  'invalid-request': [400, 'Invalid request'],
  forbidden: [403, 'Forbidden'],
};

export function rejection(code: RejectionCode): RouteReply {
  const [status, text] = REJECTIONS[code];
  return failure(status, text);
}

/** Text of the risk order and margin paths where others answer "position is not open". */
export const POSITION_NOT_IN_OPEN_STATE = failure(400, 'Position is not in OPEN state');

/** The status of a text in the table; 400 for any other. */
export function statusOfText(text: string): number {
  return Object.values(REJECTIONS).find(([, known]) => known === text)?.[0] ?? 400;
}
