import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { of, type ExchangeRig } from '../../../test/support/rigs/exchange-rig.js';
import { BalanceCheckedExchange } from '../../../test/support/rigs/balance-checked-exchange.js';
import type { ExchangeEvent, ExchangeOrder, OrderExecution } from '../simulated-exchange.js';

/** Collects what the exchange told of each order and each execution. */
function listen(rig: ExchangeRig) {
  const orders = new Map<string, ExchangeOrder>();
  const fills: Extract<ExchangeEvent, { kind: 'fill' }>[] = [];
  const closes: unknown[] = [];
  rig.exchange.listen((event) => {
    if (event.kind === 'order') orders.set(event.order.orderId, event.order);
    if (event.kind === 'fill') {
      fills.push(event);
      orders.set(event.order.orderId, event.order);
    }
    if (event.kind === 'close') closes.push(event.close);
  });
  return { orders, fills, closes };
}

const step = fc.record({
  does: fc.constantFrom('market', 'limit', 'guarded', 'part', 'cancel', 'move', 'inr'),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  nth: fc.nat(20),
  price: fc.integer({ min: 70, max: 130 }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function act(rig: BalanceCheckedExchange, { does, side, nth, price }: Step, at: number): void {
  const id = { clientOrderId: `id-${at}` };
  const named = nth % 2 === 0 ? id : {};
  if (does === 'market') rig.tryPlace(side, { quantity: '0.1' }, named);
  if (does === 'limit') rig.tryPlace(side, { price: String(price), quantity: '0.2' }, named);
  if (does === 'guarded')
    rig.tryPlace('buy', { quantity: '0.1', stopLoss: '90', takeProfit: '110' }, named);
  if (does === 'inr') rig.tryPlace(side, { quantity: '0.1', currency: 'INR' }, named);
  if (does === 'move') rig.move(String(price));
  const open = rig.exchange.openOrders('USDT');
  const one = open[nth % Math.max(1, open.length)];
  if (does === 'part' && one !== undefined)
    rig.exchange.fillPart({ orderId: one.orderId }, of('0.05'));
  if (does === 'cancel' && one !== undefined) rig.exchange.cancel({ orderId: one.orderId });
  rig.exchange.matchPending();
}

const sameOrder = ({ order, execution }: OrderExecution) => [
  ...[order.orderId, order.symbol, order.currency, order.role, order.type, order.reduceOnly],
  ...[order.leverage, order.hedgeRate, execution],
];

describe('an order that has ended', () => {
  it('is what the exchange told at its end, with each execution and close, under any commands', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isRebated) => {
        let id = 0;
        const rig = new BalanceCheckedExchange(isRebated ? {} : { nextId: () => `b${++id}` }, {
          rebates: isRebated ? 'forty-percent' : 'none',
        });
        const { orders, fills, closes } = listen(rig);
        steps.forEach((each, at) => act(rig, each, at));
        const { exchange } = rig;
        for (const told of orders.values()) {
          const read = exchange.order({ orderId: told.orderId });
          expect(read?.status).toBe(told.status);
          expect(read?.executions).toEqual(told.executions);
          if (told.endedAt !== undefined) expect(read).toEqual(told);
        }
        expect(exchange.allOrders()).toHaveLength(orders.size);
        expect(exchange.executions().map(sameOrder)).toEqual(fills.map(sameOrder));
        const history = [...exchange.positionHistory('USDT'), ...exchange.positionHistory('INR')];
        expect(history).toHaveLength(closes.length);
        expect(history).toEqual(expect.arrayContaining(closes));
      }),
      { numRuns: 150 },
    );
  });
});
