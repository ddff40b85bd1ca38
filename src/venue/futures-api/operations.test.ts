import { describe, expect, it } from 'vitest';
import { fixedFromText } from '../../core/fixed.js';
import type { VenueRequest } from '../../core/request.js';
import type { Tier } from './limits.js';
import { OPERATIONS, operationOf, tiersOf, type Operation } from './operations.js';

/** Interface, Limits; the wallet tier names POST /wallet/funds, which is served as GET. */
const WALLET: readonly Operation[] = ['spotWallet', 'transferUsdt', 'transferInr'];
const CORE: readonly Operation[] = [
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
/** Not named in any tier, though what they do is: counted twice until that is known (hazard L2). */
const UNNAMED: readonly Operation[] = ['placeOrder', 'cancelOrderByClientId'];
const MOVED = { direction: 'deposit', amount: fixedFromText<'USDT'>('1') } as const;
const MARKET: readonly Operation[] = ['klines', 'markKlines'];

describe('the rows of the interface', () => {
  it('count in the tiers that the interface names', () => {
    for (const [name, { tiers }] of Object.entries(OPERATIONS) as [
      Operation,
      { tiers: readonly Tier[] },
    ][]) {
      expect([name, tiers.includes('wallet')]).toEqual([name, WALLET.includes(name)]);
      const isCore = CORE.includes(name) || UNNAMED.includes(name);
      expect([name, tiers.includes('core')]).toEqual([name, isCore]);
      expect([name, tiers.includes('market')]).toEqual([name, MARKET.includes(name)]);
      const isDefault = ![...CORE, ...MARKET, 'transferUsdt', 'transferInr'].includes(name);
      expect([name, tiers.includes('default')]).toEqual([name, isDefault]);
    }
  });

  it('are 32, with the ping that public clients need', () => {
    expect(Object.keys(OPERATIONS)).toHaveLength(32);
    const paths = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(paths).size).toBe(32);
  });

  it('let reads wait behind everything that changes something', () => {
    const polls = Object.values(OPERATIONS).filter(({ priority }) => priority === 'poll');
    expect(new Set(polls.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(OPERATIONS.cancelOrder.priority).toBe('cancel');
    expect(OPERATIONS.placeOrder.priority).toBe('place');
  });

  it.each<[VenueRequest, Operation]>([
    [{ kind: 'cancel', order: { orderId: 'o-1' } }, 'cancelOrder'],
    [{ kind: 'cancel', order: { clientOrderId: 'ab-1' } }, 'cancelOrderByClientId'],
    [{ kind: 'find-order', order: { clientOrderId: 'ab-1' } }, 'orderDetail'],
    [{ kind: 'read-closes', currency: 'INR', limit: 1 }, 'positionHistory'],
    [{ kind: 'transfer', ...MOVED, currency: 'USDT' }, 'transferUsdt'],
    [{ kind: 'transfer', ...MOVED, currency: 'INR' }, 'transferInr'],
    [{ kind: 'change-margin', positionId: 'p-1', change: MOVED.amount }, 'addMargin'],
  ])('serve what the engine asks: %j', (request, operation) => {
    expect(operationOf(request)).toBe(operation);
    expect(tiersOf(request)).toBe(OPERATIONS[operation].tiers);
  });
});
