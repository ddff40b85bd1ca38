import type { RejectionCode } from '../../../core/rejection.js';
import type { ApiOperation } from './operations.js';

interface RejectionText {
  readonly operations: readonly ApiOperation[] | 'any';
  readonly status: number;
  readonly text: string;
  readonly code: RejectionCode;
}

const row = (
  operations: readonly ApiOperation[] | 'any',
  status: number,
  text: string,
  code: RejectionCode,
): RejectionText => ({ operations, status, text, code });

const V1 = ['placeOrderV1'] as const;
const PLACE = ['placeOrder', 'placeOrderV1'] as const;
const CANCEL = ['cancelOrder', 'cancelOrderByClientId'] as const;
const FIND = ['orderDetail', 'orderById', 'executionReport'] as const;
const LEVERAGE = ['leverage', 'setLeverage'] as const;
const AMEND = ['amendOrder'] as const;
const TRANSFER = ['transferUsdt', 'transferInr'] as const;
const RISK = ['setRiskOrder', 'editRiskOrder'] as const;
const MARGIN = ['addMargin'] as const;
const PARTIAL = ['closePartially'] as const;
const REVERSE = ['reversePosition'] as const;
const CLOSE = ['closePosition', ...PARTIAL, ...REVERSE] as const;
const POSITION = [...RISK, ...MARGIN, ...CLOSE, 'liquidationPrice'] as const;
const KLINES = ['klines', 'markKlines'] as const;
/** Requests that change an existing order, including a protective order that may have ended. */
const CHANGE = [...AMEND, 'editRiskOrder'] as const;
/** Requests with the client id of a new order, which may be refused. */
const NAMED = ['placeOrder', ...RISK, ...PARTIAL] as const;
/** Requests with a quantity or a price of their own. */
const PRICED = [...PLACE, ...AMEND, ...RISK, ...PARTIAL] as const;
const LOCKING = [...PLACE, ...CANCEL, ...LEVERAGE, ...AMEND, ...RISK, ...MARGIN, ...CLOSE] as const;

/**
 * Every rejection that this client accepts as a `no` (interface: errors; supplement: error texts). A text
 * that is missing here makes the outcome `unknown`. 500 is never listed: it does not exclude an effect.
 */
const REJECTIONS: readonly RejectionText[] = [
  row(PLACE, 400, 'trigger_type must be MARKET or LIMIT', 'invalid-trigger-type'),
  row(V1, 400, 'invalid trigger type', 'invalid-trigger-type'),
  row(PLACE, 400, 'order_type must be LONG or SHORT', 'invalid-order-type'),
  row([...V1, ...PARTIAL], 400, 'invalid order type', 'invalid-order-type'),
  row(PLACE, 400, 'order_price must be > 0 for LIMIT orders', 'limit-price-missing'),
  row(PRICED, 400, 'quantity not a multiple of the quantity step', 'quantity-step'),
  row(PRICED, 400, 'order quantity out of permissible range', 'quantity-range'),
  row(PRICED, 400, 'price not a multiple of the price step', 'price-step'),
  row(PRICED, 400, 'order price out of permissible range', 'price-range'),
  row(PRICED, 400, 'order value less than minimum required value', 'notional-below-minimum'),
  row([...PLACE, ...RISK], 400, 'invalid stop loss price', 'invalid-stop-loss'),
  row([...PLACE, ...RISK], 400, 'invalid takeprofit price', 'invalid-take-profit'),
  row(PLACE, 400, 'leverage not found', 'leverage-not-set'),
  row(V1, 400, 'leverage out of permissible range', 'leverage-range'),
  row(
    [...PLACE, ...AMEND, ...TRANSFER, ...REVERSE],
    400,
    'insufficient balance',
    'insufficient-balance',
  ),
  row(PLACE, 400, 'reduce only order in new position', 'reduce-only-without-position'),
  row(PLACE, 400, 'reduce only order on same side of the position', 'reduce-only-same-side'),
  row(
    [...PRICED, ...TRANSFER, ...MARGIN, ...CLOSE, 'setLeverage', 'transactions'],
    400,
    'Params error',
    'params-error',
  ),
  row([...PLACE, ...REVERSE], 400, 'This trading pair is being delisted', 'delisting'),
  row([...PLACE, ...LEVERAGE, 'asset'], 404, 'future asset not found', 'asset-not-found'),
  row([...V1, ...LEVERAGE, 'asset'], 404, 'Asset not found', 'asset-not-found'),
  row(NAMED, 409, 'client order id already exists', 'client-order-id-exists'),
  row([...NAMED, ...CANCEL, ...FIND], 400, 'invalid order identifier', 'invalid-client-order-id'),
  row(LOCKING, 423, 'action not allowed: another user action in progress', 'locked'),

  row([...CANCEL, ...FIND, ...CHANGE], 404, 'order not found', 'order-not-found'),
  row([...CANCEL, ...CHANGE], 400, 'order already cancelled', 'order-not-open'),
  row([...CANCEL, ...CHANGE], 400, 'order is not open', 'order-not-open'),
  row(
    [...CANCEL, ...FIND],
    400,
    'order id or client order id is required',
    'order-reference-missing',
  ),

  row(LEVERAGE, 404, 'leverage not found', 'leverage-not-set'),
  row(LEVERAGE, 400, 'leverage out of permissible range', 'leverage-range'),

  row(POSITION, 404, 'Position not found', 'position-not-found'),
  row(POSITION, 400, 'Position is not in OPEN state', 'position-not-open'),
  row(POSITION, 400, 'position is not open', 'position-not-open'),
  row(POSITION, 400, 'position not in sync with exchange', 'position-not-in-sync'),
  row(RISK, 400, 'Risk order creation failed', 'protection-refused'),
  row(RISK, 400, 'risk order id missing', 'protection-order-missing'),
  row(MARGIN, 400, 'Insufficient funds', 'insufficient-funds'),
  row(TRANSFER, 400, 'From and To wallet types must be different', 'wallets-equal'),
  row([...POSITION, ...AMEND, ...TRANSFER], 400, 'Invalid request', 'invalid-request'),

  row(KLINES, 400, 'assets are required', 'invalid-request'),
  row(KLINES, 400, 'allowed assets size is 25', 'invalid-request'),
  row(KLINES, 400, 'aggregation not supported', 'invalid-request'),
  row(KLINES, 400, 'start and end time should be greater than 0', 'invalid-request'),
  row(KLINES, 400, 'end time should be greater than start time', 'invalid-request'),
  row(KLINES, 400, 'invalid assets', 'asset-not-found'),
  row(KLINES, 404, 'asset not found', 'asset-not-found'),

  row('any', 400, 'Invalid trade currency', 'invalid-currency'),
  row('any', 400, 'invalid trade_currency', 'invalid-currency'),
  row('any', 403, 'Forbidden', 'forbidden'),
];

const RATE_LIMITED = 429;

/**
 * The code of a rejection, or undefined if the table lacks it. Letter case and surrounding blanks are
 * ignored, because the venue varies them.
 */
export function rejectionCodeOf(
  operation: ApiOperation,
  status: number,
  text: string,
): RejectionCode | undefined {
  // The texts of a 429 are undocumented and vary, so the status decides.
  if (status === RATE_LIMITED) return 'rate-limited';
  const plain = stripInterval(text.trim().toLowerCase());
  return REJECTIONS.find(
    (candidate) =>
      candidate.status === status &&
      candidate.text.toLowerCase() === plain &&
      (candidate.operations === 'any' || candidate.operations.includes(operation)),
  )?.code;
}

/** `5x aggregation not supported`: some answers have the requested value before the text. */
const stripInterval = (text: string): string =>
  text.replace(/^\S* ?(?=aggregation not supported$)/, '');
