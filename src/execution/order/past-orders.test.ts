import { describe, expect, it } from 'vitest';
import { d, intentOf, type IntentCase } from '../../../test/support/builders/risk-case.js';
import { AssertionError } from '../../core/assert.js';
import { judgeHistoryRow } from '../../engine/reconciliation/reconcile-history.js';
import { reconcileOrders, type OwnOrders } from '../../engine/reconciliation/reconcile-orders.js';
import { decidedTrigger } from '../../engine/reconciliation/reconcile-protection.js';
import type { OrderReport } from '../../core/order.js';
import type { DecisionCause } from '../../core/intent.js';
import { PositionLedger } from '../position-ledger.js';
import { OrderLedger } from './order-ledger.js';
import type { EndState, OrderState } from './order-state.js';
import { OwnOrder } from './own-order.js';
import { PastOrders } from './past-orders.js';

interface Given extends IntentCase {
  readonly state?: OrderState;
  readonly attempts?: number;
  readonly orderId?: string;
  readonly filled?: string;
  readonly filledAt?: number;
  readonly cause?: DecisionCause;
}

const ENDS: readonly EndState[] = ['filled', 'canceled', 'rejected', 'dropped', 'burned'];

function orderOf(key: number, given: Given): OwnOrder {
  const { state = 'filled', attempts = 1, orderId, filled = '0', filledAt, cause, ...of } = given;
  const intent = intentOf({ ordinal: key, ...of });
  const order = new OwnOrder({
    key,
    intent: { recovered: cause === undefined ? intent : { ...intent, cause } },
    account: 'demo',
  });
  Object.assign(order, { state, attempts, orderId, filledQuantity: d(filled) });
  if (filledAt !== undefined) order.lastFilledAt = filledAt;
  return order;
}

function ledgerOf(given: readonly Given[], keptEnded?: number): OrderLedger {
  const ledger = new OrderLedger(new PositionLedger(), keptEnded);
  for (const each of given) {
    const order = orderOf(ledger.nextKey, each);
    ledger.add(order);
    ledger.indexByClientOrderId(order);
  }
  return ledger;
}

const idsOf = (given: readonly Given[]): readonly string[] =>
  given.map((each, key) => orderOf(key, each).clientOrderId);

const ended = (count: number): readonly Given[] =>
  Array.from({ length: count }, (_, index) => ({ orderId: `v${index}`, exit: true, filled: '1' }));

describe('orders that ended long ago', () => {
  it.each([100, 300])('of %i ended orders ten stay whole', (count) => {
    const ledger = ledgerOf(ended(count), 10);
    expect(ledger.all.map(({ key }) => key)).toEqual(
      Array.from({ length: 10 }, (_, index) => count - 10 + index),
    );
    expect(ledger.nextKey).toBe(count);
  });

  it('each end takes the oldest away, however long other orders are open', () => {
    const ledger = ledgerOf([{ state: 'accepted' }, { state: 'accepted' }, ...ended(5)], 2);
    expect(ledger.all.map(({ key }) => key)).toEqual([0, 1, 5, 6]);
    const [first] = ledger.all;
    expect(first?.ended).toBe(false);
    Object.assign(first ?? {}, { state: 'canceled' });
    ledger.end(ledger.byKey(0));
    expect(ledger.all.map(({ key }) => key)).toEqual([0, 1, 6]);
    expect(ledger.orderCount).toBe(1);
  });

  it('an order is known by each of its ids for ever', () => {
    const given = ended(500);
    const ledger = ledgerOf(given, 10);
    for (const [index, id] of idsOf(given).entries()) {
      expect(ledger.known(id)).toMatchObject({ clientOrderId: id, state: 'filled', ended: true });
      expect(ledger.hasOrderId(`v${index}`)).toBe(true);
    }
    expect(ledger.known('other-id-a1')).toBeUndefined();
    expect(ledger.hasOrderId('v500')).toBe(false);
  });

  it('an order is found by its key until it leaves, and no key that was never given is asked for', () => {
    const ledger = ledgerOf(ended(20), 5);
    expect(ledger.find(19)?.key).toBe(19);
    expect(ledger.find(14)).toBeUndefined();
    expect(() => ledger.find(20)).toThrow(AssertionError);
    expect(() => ledger.byKey(14)).toThrow(AssertionError);
  });

  it('the orders of operators stay, so that a flatten and a command find them', () => {
    const cause: DecisionCause = { kind: 'operator', commandId: 'flatten-1' };
    const ledger = ledgerOf([{ cause, exit: true, filled: '1' }, ...ended(50)], 3);
    expect(ledger.all.map(({ key }) => key)).toEqual([0, 48, 49, 50]);
  });

  it('the entry of each side that filled last stays, so that its stop is known', () => {
    const entries: readonly Given[] = [
      { stopLoss: '58000', filled: '1', filledAt: 1_000 },
      { stopLoss: '59000', filled: '1', filledAt: 3_000 },
      { stopLoss: '59500', filled: '1', filledAt: 2_000 },
      { side: 'sell', stopLoss: '61000', filled: '1', filledAt: 500 },
      { symbol: 'ETHUSDT', stopLoss: '2000', filled: '1', filledAt: 400 },
    ];
    const given = [...entries, ...ended(100)];
    const [all, bounded] = [ledgerOf(given), ledgerOf(given, 3)];
    expect(bounded.all.map(({ key }) => key)).toEqual([1, 3, 4, 102, 103, 104]);
    for (const symbol of ['BTCUSDT', 'ETHUSDT'])
      for (const own of ['1', '-1']) {
        const position = { symbol, currency: 'USDT' as const, own: d<'quantity'>(own) };
        expect(decidedTrigger(bounded.all, position, 'stopLoss')).toBe(
          decidedTrigger(all.all, position, 'stopLoss'),
        );
      }
  });

  it('a later entry lets the one before it leave', () => {
    const entry = (filledAt: number): Given => ({ stopLoss: '58000', filled: '1', filledAt });
    const given = Array.from({ length: 200 }, (_, index) => entry(1_000 + index));
    expect(ledgerOf(given, 3).all).toHaveLength(3);
  });
});

describe('verdicts on rows of orders that ended long ago', () => {
  const CASES = ENDS.flatMap((state) =>
    [0, 1].flatMap((attempts) =>
      [undefined, 'v1'].map((orderId) => ({ state, attempts, ...(orderId && { orderId }) })),
    ),
  );
  const sideOf = (ledger: OrderLedger, adopted: boolean): OwnOrders => ({
    namespace: orderOf(0, {}).clientOrderId.slice(0, 6),
    active: [...ledger.allOpenOrders()],
    known: (id) => ledger.known(id),
    hasOrderId: (id) => ledger.hasOrderId(id),
    mayBeOrder: () => false,
    ownsProtection: () => false,
    isAdopted: () => adopted,
  });
  const rowOf = (more: Partial<OrderReport>): OrderReport => ({
    orderId: 'v1',
    currency: 'USDT',
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'market',
    role: 'trade',
    status: 'created',
    quantity: d('1'),
    filledQuantity: d('0'),
    ...more,
  });

  it.each(CASES)(
    'a row of an order that is $state is judged as before ($attempts, $orderId)',
    (of) => {
      const given = [of, ...ended(20)];
      const [all, bounded] = [ledgerOf(given), ledgerOf(given, 3)];
      const [clientOrderId = ''] = idsOf([of]);
      expect(bounded.byClientOrderId(clientOrderId)).toBeUndefined();
      for (const adopted of [false, true])
        for (const row of [rowOf({ clientOrderId }), rowOf({})]) {
          const kinds = [all, bounded].map((ledger) => {
            const own = sideOf(ledger, adopted);
            const [listed] = reconcileOrders(own, [row]);
            return [listed?.kind, judgeHistoryRow(own, row).kind];
          });
          expect(kinds[1]).toEqual(kinds[0]);
        }
    },
  );
});

it('a hundred thousand ids are told apart', () => {
  const past = new PastOrders();
  for (let index = 0; index < 50_000; index += 1)
    past.add({
      clientOrderId: `a-${index}`,
      orderId: `v-${index}`,
      state: ENDS[index % ENDS.length],
      wasSent: index % 2 === 0,
      wasResolved: index % 3 === 0,
    } as OwnOrder);
  for (let index = 0; index < 50_000; index += 997) {
    expect(past.find(`a-${index}`)).toEqual({
      clientOrderId: `a-${index}`,
      ended: true,
      state: ENDS[index % ENDS.length],
      wasSent: index % 2 === 0,
      wasResolved: index % 3 === 0,
    });
    expect([past.hasOrderId(`v-${index}`), past.hasOrderId(`w-${index}`)]).toEqual([true, false]);
    expect(past.find(`v-${index}`)).toBeUndefined();
  }
});
