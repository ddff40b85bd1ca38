import { describe, expect, it } from 'vitest';
import { fixedFromText } from '../../../core/fixed/fixed.js';
import type { VenueRequest } from '../../../core/request.js';
import type { RateTierName } from './api-limits.js';
import { OPERATIONS, apiOperationOf, tiersOf, type ApiOperation } from './operations.js';

/** From the interface (limits). The wallet tier lists POST /wallet/funds, but the endpoint is GET. */
const WALLET: readonly ApiOperation[] = ['spotWallet', 'transferUsdt', 'transferInr'];
const CORE: readonly ApiOperation[] = [
  'placeOrderV1',
  'cancelOrder',
  'addMargin',
  'setRiskOrder',
  'editRiskOrder',
  'reversePosition',
  'closePartially',
  'closePosition',
  'leverage',
  'setLeverage',
];
/** Listed under no tier, while v1 place is core: counted towards two (hazard L2). */
const UNNAMED: readonly ApiOperation[] = ['placeOrder'];
const MOVED = { direction: 'deposit', amount: fixedFromText<'USDT'>('1') } as const;
const MARKET: readonly ApiOperation[] = ['klines', 'markKlines'];

describe('the endpoints of the interface', () => {
  it('endpoints count towards the tiers of the interface', () => {
    for (const [name, { tiers }] of Object.entries(OPERATIONS) as [
      ApiOperation,
      { tiers: readonly RateTierName[] },
    ][]) {
      expect([name, tiers.includes('wallet')]).toEqual([name, WALLET.includes(name)]);
      const isCore = CORE.includes(name) || UNNAMED.includes(name);
      expect([name, tiers.includes('core')]).toEqual([name, isCore]);
      expect([name, tiers.includes('market')]).toEqual([name, MARKET.includes(name)]);
      const isDefault = ![...CORE, ...MARKET, 'transferUsdt', 'transferInr'].includes(name);
      expect([name, tiers.includes('default')]).toEqual([name, isDefault]);
    }
  });

  it('there are 32 endpoints, with the undocumented ping', () => {
    expect(Object.keys(OPERATIONS)).toHaveLength(32);
    const paths = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(paths).size).toBe(32);
  });

  it('reads have a lower priority than changes', () => {
    const polls = Object.values(OPERATIONS).filter(({ priority }) => priority === 'poll');
    expect(new Set(polls.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(OPERATIONS.cancelOrder.priority).toBe('cancel');
    expect(OPERATIONS.placeOrder.priority).toBe('place');
  });

  it.each<[VenueRequest, ApiOperation]>([
    [{ kind: 'cancel', order: { orderId: 'o-1' } }, 'cancelOrder'],
    [{ kind: 'cancel', order: { clientOrderId: 'ab-1' } }, 'cancelOrderByClientId'],
    [{ kind: 'find-order', order: { clientOrderId: 'ab-1' } }, 'orderDetail'],
    [{ kind: 'read-closes', currency: 'INR', limit: 1 }, 'positionHistory'],
    [{ kind: 'transfer', ...MOVED, currency: 'USDT' }, 'transferUsdt'],
    [{ kind: 'transfer', ...MOVED, currency: 'INR' }, 'transferInr'],
    [{ kind: 'change-margin', positionId: 'p-1', change: MOVED.amount }, 'addMargin'],
  ])('the request %j of the engine has its endpoint', (request, operation) => {
    expect(apiOperationOf(request)).toBe(operation);
    expect(tiersOf(request)).toBe(OPERATIONS[operation].tiers);
  });
});
