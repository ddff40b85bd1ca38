import type { RejectionCode } from '../../core/rejection.js';
import type { RequestKind } from '../../core/request.js';

interface Row {
  readonly to: readonly RequestKind[] | 'any';
  readonly status: number;
  readonly text: string;
  readonly code: RejectionCode;
}

const row = (
  to: readonly RequestKind[] | 'any',
  status: number,
  text: string,
  code: RejectionCode,
): Row => ({ to, status, text, code });

const PLACE = ['place'] as const;
const CANCEL = ['cancel'] as const;
const FIND = ['find-order'] as const;
const LEVERAGE = ['read-leverage', 'set-leverage'] as const;

/**
 * Every "no" that this client believes: interface, Errors; supplement parts 3, 7 and 9. What is not
 * here is no rejection but an unknown outcome. 500 is never here: it says nothing about effect.
 */
const ROWS: readonly Row[] = [
  row(PLACE, 400, 'trigger_type must be MARKET or LIMIT', 'invalid-trigger-type'),
  row(PLACE, 400, 'order_type must be LONG or SHORT', 'invalid-order-type'),
  row(PLACE, 400, 'order_price must be > 0 for LIMIT orders', 'limit-price-missing'),
  row(PLACE, 400, 'quantity not a multiple of the quantity step', 'quantity-step'),
  row(PLACE, 400, 'order quantity out of permissible range', 'quantity-range'),
  row(PLACE, 400, 'price not a multiple of the price step', 'price-step'),
  row(PLACE, 400, 'order price out of permissible range', 'price-range'),
  row(PLACE, 400, 'order value less than minimum required value', 'notional-below-minimum'),
  row(PLACE, 400, 'invalid stop loss price', 'invalid-stop-loss'),
  row(PLACE, 400, 'invalid takeprofit price', 'invalid-take-profit'),
  row(PLACE, 400, 'leverage not found', 'leverage-not-set'),
  row(PLACE, 400, 'insufficient balance', 'insufficient-balance'),
  row(PLACE, 400, 'reduce only order in new position', 'reduce-only-without-position'),
  row(PLACE, 400, 'reduce only order on same side of the position', 'reduce-only-same-side'),
  row(PLACE, 400, 'Params error', 'params-error'),
  row(PLACE, 400, 'This trading pair is being delisted', 'delisting'),
  row(PLACE, 404, 'future asset not found', 'asset-not-found'),
  row(PLACE, 409, 'client order id already exists', 'client-order-id-exists'),
  row(PLACE, 400, 'invalid order identifier', 'invalid-client-order-id'),
  row(PLACE, 423, 'action not allowed: another user action in progress', 'locked'),

  row(CANCEL, 404, 'order not found', 'order-not-found'),
  row(CANCEL, 400, 'order already cancelled', 'order-not-open'),
  row(CANCEL, 400, 'order is not open', 'order-not-open'),
  row(CANCEL, 400, 'order id or client order id is required', 'order-reference-missing'),
  row(CANCEL, 400, 'invalid order identifier', 'invalid-client-order-id'),
  row(CANCEL, 423, 'action not allowed: another user action in progress', 'locked'),

  row(FIND, 404, 'order not found', 'order-not-found'),
  row(FIND, 400, 'order id or client order id is required', 'order-reference-missing'),
  row(FIND, 400, 'invalid order identifier', 'invalid-client-order-id'),

  row(LEVERAGE, 404, 'leverage not found', 'leverage-not-set'),
  row(LEVERAGE, 400, 'leverage out of permissible range', 'leverage-range'),
  row(LEVERAGE, 404, 'Asset not found', 'asset-not-found'),
  row(LEVERAGE, 404, 'future asset not found', 'asset-not-found'),
  row(LEVERAGE, 423, 'action not allowed: another user action in progress', 'locked'),

  row('any', 400, 'Invalid trade currency', 'invalid-currency'),
  row('any', 400, 'invalid trade_currency', 'invalid-currency'),
  row('any', 429, 'API rate limit exceeded', 'rate-limited'),
  row('any', 429, 'Rate limit exceeded', 'rate-limited'),
  row('any', 429, 'rate-limit error', 'rate-limited'),
];

/**
 * The code of a rejection, or undefined when the table does not hold it. Letter case and blanks at
 * the ends are not compared: the venue writes the same text both ways.
 */
export function rejectionCodeOf(
  kind: RequestKind,
  status: number,
  text: string,
): RejectionCode | undefined {
  const plain = text.trim().toLowerCase();
  return ROWS.find(
    (candidate) =>
      candidate.status === status &&
      candidate.text.toLowerCase() === plain &&
      (candidate.to === 'any' || candidate.to.includes(kind)),
  )?.code;
}
