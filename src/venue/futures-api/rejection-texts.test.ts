import { describe, expect, it } from 'vitest';
import type { RequestKind } from '../../core/request.js';
import { rejectionCodeOf } from './rejection-texts.js';

describe('the table of rejections', () => {
  it.each<[RequestKind, number, string, string | undefined]>([
    ['place', 400, 'insufficient balance', 'insufficient-balance'],
    ['place', 409, 'client order id already exists', 'client-order-id-exists'],
    ['place', 423, 'action not allowed: another user action in progress', 'locked'],
    ['place', 400, 'invalid trade_currency', 'invalid-currency'],
    ['place', 400, 'Invalid trade currency', 'invalid-currency'],
    ['place', 400, ' INSUFFICIENT balance ', 'insufficient-balance'],
    ['find-order', 404, 'order not found', 'order-not-found'],
    ['cancel', 404, 'order not found', 'order-not-found'],
    ['read-leverage', 404, 'leverage not found', 'leverage-not-set'],
    ['set-leverage', 400, 'leverage out of permissible range', 'leverage-range'],
    ['read-wallet', 429, 'API rate limit exceeded', 'rate-limited'],
    // The same text elsewhere is not the same statement.
    ['place', 404, 'order not found', undefined],
    ['place', 409, 'insufficient balance', undefined],
    ['read-positions', 404, 'order not found', undefined],
    ['place', 500, 'something went wrong', undefined],
    ['place', 400, 'insufficient balance today', undefined],
    ['place', 400, '', undefined],
  ])('reads %s %i %j as %s', (kind, status, text, expected) => {
    expect(rejectionCodeOf(kind, status, text)).toBe(expected);
  });
});
