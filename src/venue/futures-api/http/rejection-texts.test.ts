import { describe, expect, it } from 'vitest';
import type { RejectionCode } from '../../../core/rejection.js';
import { OPERATIONS, type ApiOperation } from './operations.js';
import { rejectionCodeOf } from './rejection-texts.js';

/** The errors of the interface, row by row, then those of the supplement. */
const DOCUMENTED: readonly [ApiOperation, number, string, RejectionCode][] = [
  // Order create (v2)
  ['placeOrder', 400, 'invalid trade_currency', 'invalid-currency'],
  ['placeOrder', 400, 'trigger_type must be MARKET or LIMIT', 'invalid-trigger-type'],
  ['placeOrder', 400, 'order_type must be LONG or SHORT', 'invalid-order-type'],
  ['placeOrder', 400, 'order_price must be > 0 for LIMIT orders', 'limit-price-missing'],
  ['placeOrder', 400, 'quantity not a multiple of the quantity step', 'quantity-step'],
  ['placeOrder', 400, 'order quantity out of permissible range', 'quantity-range'],
  ['placeOrder', 400, 'price not a multiple of the price step', 'price-step'],
  ['placeOrder', 400, 'order price out of permissible range', 'price-range'],
  ['placeOrder', 400, 'order value less than minimum required value', 'notional-below-minimum'],
  ['placeOrder', 400, 'invalid stop loss price', 'invalid-stop-loss'],
  ['placeOrder', 400, 'invalid takeprofit price', 'invalid-take-profit'],
  ['placeOrder', 400, 'leverage not found', 'leverage-not-set'],
  ['placeOrder', 400, 'insufficient balance', 'insufficient-balance'],
  ['placeOrder', 400, 'reduce only order in new position', 'reduce-only-without-position'],
  ['placeOrder', 400, 'reduce only order on same side of the position', 'reduce-only-same-side'],
  ['placeOrder', 400, 'Params error', 'params-error'],
  ['placeOrder', 400, 'This trading pair is being delisted', 'delisting'],
  ['placeOrder', 404, 'future asset not found', 'asset-not-found'],
  ['placeOrder', 409, 'client order id already exists', 'client-order-id-exists'],
  ['placeOrder', 400, 'invalid order identifier', 'invalid-client-order-id'],
  ['placeOrder', 423, 'action not allowed: another user action in progress', 'locked'],
  // Order create (v1)
  ['placeOrderV1', 400, 'Params error', 'params-error'],
  ['placeOrderV1', 400, 'invalid trigger type', 'invalid-trigger-type'],
  ['placeOrderV1', 400, 'invalid order type', 'invalid-order-type'],
  ['placeOrderV1', 400, 'order price out of permissible range', 'price-range'],
  ['placeOrderV1', 400, 'quantity not a multiple of the quantity step', 'quantity-step'],
  ['placeOrderV1', 400, 'leverage out of permissible range', 'leverage-range'],
  ['placeOrderV1', 400, 'insufficient balance', 'insufficient-balance'],
  ['placeOrderV1', 400, 'Invalid trade currency', 'invalid-currency'],
  // Other trading errors
  ['transferUsdt', 400, 'insufficient balance', 'insufficient-balance'],
  ['transferInr', 400, 'insufficient balance', 'insufficient-balance'],
  ['transferUsdt', 400, 'From and To wallet types must be different', 'wallets-equal'],
  ['transferInr', 400, 'From and To wallet types must be different', 'wallets-equal'],
  ['amendOrder', 400, 'order quantity out of permissible range', 'quantity-range'],
  ['orderById', 404, 'order not found', 'order-not-found'],
  ['orderDetail', 404, 'order not found', 'order-not-found'],
  ['executionReport', 404, 'order not found', 'order-not-found'],
  ['orderDetail', 400, 'order id or client order id is required', 'order-reference-missing'],
  ['setLeverage', 400, 'leverage out of permissible range', 'leverage-range'],
  ['setLeverage', 400, 'Invalid trade currency', 'invalid-currency'],
  ['leverage', 404, 'leverage not found', 'leverage-not-set'],
  ['asset', 404, 'Asset not found', 'asset-not-found'],
  ['setRiskOrder', 404, 'Position not found', 'position-not-found'],
  ['editRiskOrder', 404, 'Position not found', 'position-not-found'],
  ['addMargin', 404, 'Position not found', 'position-not-found'],
  ['setRiskOrder', 400, 'Position is not in OPEN state', 'position-not-open'],
  ['editRiskOrder', 400, 'Position is not in OPEN state', 'position-not-open'],
  ['setRiskOrder', 400, 'Risk order creation failed', 'protection-refused'],
  ['editRiskOrder', 400, 'risk order id missing', 'protection-order-missing'],
  ['addMargin', 400, 'Insufficient funds', 'insufficient-funds'],
  ['closePartially', 400, 'position is not open', 'position-not-open'],
  ['closePartially', 409, 'client order id already exists', 'client-order-id-exists'],
  ['setRiskOrder', 409, 'client order id already exists', 'client-order-id-exists'],
  // Market-data REST errors
  ['klines', 400, 'assets are required', 'invalid-request'],
  ['klines', 400, 'allowed assets size is 25', 'invalid-request'],
  ['klines', 400, 'aggregation not supported', 'invalid-request'],
  ['klines', 400, '5x aggregation not supported', 'invalid-request'],
  ['klines', 400, 'start and end time should be greater than 0', 'invalid-request'],
  ['markKlines', 400, 'end time should be greater than start time', 'invalid-request'],
  ['markKlines', 400, 'invalid assets', 'asset-not-found'],
  ['markKlines', 404, 'asset not found', 'asset-not-found'],
  ['klines', 429, 'Rate limit exceeded', 'rate-limited'],
  // Supplement
  ['cancelOrder', 400, 'order already cancelled', 'order-not-open'],
  ['cancelOrder', 400, 'order is not open', 'order-not-open'],
  ['cancelOrder', 404, 'order not found', 'order-not-found'],
  ['cancelOrderByClientId', 404, 'order not found', 'order-not-found'],
  ['closePosition', 400, 'position is not open', 'position-not-open'],
  ['reversePosition', 400, 'position is not open', 'position-not-open'],
  ['reversePosition', 404, 'Position not found', 'position-not-found'],
  ['reversePosition', 400, 'position not in sync with exchange', 'position-not-in-sync'],
  ['liquidationPrice', 404, 'Position not found', 'position-not-found'],
  ['editRiskOrder', 400, 'Invalid request', 'invalid-request'],
  // The protective order of an edit may have ended.
  ['editRiskOrder', 404, 'order not found', 'order-not-found'],
  ['editRiskOrder', 400, 'order is not open', 'order-not-open'],
  ['editRiskOrder', 400, 'order already cancelled', 'order-not-open'],
];

const EVERY = Object.keys(OPERATIONS) as readonly ApiOperation[];

describe('the table of rejections', () => {
  it.each(DOCUMENTED)('%s %i %j is %s', (operation, status, text, code) => {
    expect(rejectionCodeOf(operation, status, text)).toBe(code);
    expect(rejectionCodeOf(operation, status, ` ${text.toUpperCase()} `)).toBe(code);
  });

  it.each(EVERY)('the table has the rate limit and currency rejections of %s', (operation) => {
    expect(rejectionCodeOf(operation, 429, 'API rate limit exceeded')).toBe('rate-limited');
    expect(rejectionCodeOf(operation, 400, 'Invalid trade currency')).toBe('invalid-currency');
    expect(rejectionCodeOf(operation, 403, 'Forbidden')).toBe('forbidden');
  });

  it.each(EVERY)('a 429 of %s is a rate limit with any text', (operation) => {
    for (const text of ['', 'slow down', 'Too Many Requests', 'order not found']) {
      expect(rejectionCodeOf(operation, 429, text)).toBe('rate-limited');
    }
  });

  it.each(EVERY)('an answer to %s that does not exclude an effect is no rejection', (operation) => {
    expect(rejectionCodeOf(operation, 500, 'something went wrong')).toBeUndefined();
    expect(rejectionCodeOf(operation, 401, 'Invalid Authentication')).toBeUndefined();
    expect(rejectionCodeOf(operation, 404, 'requested resource was not found')).toBeUndefined();
  });

  it.each<[ApiOperation, number, string]>([
    // The same text of another operation or status does not count.
    ['placeOrder', 404, 'order not found'],
    ['placeOrder', 409, 'insufficient balance'],
    ['placeOrder', 400, 'Invalid request'],
    ['placeOrder', 400, 'invalid order type'],
    ['positions', 404, 'order not found'],
    ['positions', 404, 'Position not found'],
    ['addMargin', 400, 'insufficient balance'],
    ['transferUsdt', 423, 'action not allowed: another user action in progress'],
    ['placeOrder', 400, 'insufficient balance today'],
    ['placeOrder', 400, 'x aggregation not supported'],
    ['placeOrder', 400, ''],
  ])('%s %i %j is not in the table', (operation, status, text) => {
    expect(rejectionCodeOf(operation, status, text)).toBeUndefined();
  });
});
