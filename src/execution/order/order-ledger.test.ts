import { describe, expect, it } from 'vitest';
import { d, type IntentCase } from '../../../test/support/builders/risk-case.js';
import { ProtocolRig } from '../../../test/support/rigs/protocol-rig.js';
import { AssertionError } from '../../core/assert.js';
import { fixed } from '../../core/fixed/fixed.js';
import type { OrderState } from './order-state.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

interface Given {
  readonly state: OrderState;
  readonly of: IntentCase;
  readonly filled?: string;
}

function ledgerOf(orders: readonly Given[], position = '0') {
  const rig = new ProtocolRig();
  if (position !== '0') {
    rig.positions.applyFill({
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side: position.startsWith('-') ? 'sell' : 'buy',
      quantity: d(position.replace('-', '')),
      price: d('60000'),
      monotonic: 0,
    });
  }
  for (const [index, { state, of, filled = '0' }] of orders.entries()) {
    const order = rig.order({ ...of, ordinal: index });
    order.state = state;
    order.filledQuantity = d(filled);
    rig.ledger.add(order);
  }
  return rig.ledger;
}

const ACTIVE: readonly OrderState[] = [
  'waiting',
  'sent',
  'retrying',
  'verifying',
  'quarantined',
  'accepted',
];
const ENDED: readonly OrderState[] = ['filled', 'canceled', 'rejected', 'dropped', 'burned'];

describe('exposure', () => {
  it.each(ACTIVE)('an order that is %s counts at its worst', (state) => {
    const ledger = ledgerOf([{ state, of: { quantity: '2' }, filled: '0.5' }], '1');
    expect(ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      position: d('1'),
      maxPosition: d('2.5'),
      minPosition: 0,
      orderCount: 1,
    });
    expect(ledger.orderCount).toBe(1);
  });

  it.each(ENDED)('an order that is %s does not count', (state) => {
    const ledger = ledgerOf([{ state, of: { quantity: '2' } }], '1');
    expect(ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('1'),
      minPosition: 0,
      orderCount: 0,
    });
    expect(ledger.orderCount).toBe(0);
  });

  it('exposure separates buys, sells and reductions, and the currencies', () => {
    const ledger = ledgerOf(
      [
        { state: 'accepted', of: { quantity: '2', price: '59000' } },
        { state: 'sent', of: { quantity: '3', side: 'sell' } },
        { state: 'verifying', of: { quantity: '1', side: 'sell', exit: true } },
        { state: 'sent', of: { quantity: '7', currency: 'INR' } },
      ],
      '1',
    );
    expect(ledger.of('BTCUSDT', 'USDT')).toEqual({
      position: d('1'),
      maxPosition: d('3'),
      minPosition: d('-3'),
      reducingQuantity: d('1'),
      orderCount: 3,
      unresolvedIntents: 1,
    });
    expect(ledger.pendingQuantity('BTCUSDT', 'USDT')).toBe(d('-2'));
    expect(ledger.orderCount).toBe(4);
  });
});

describe('order ledger', () => {
  it('a position gives the other side no room: its stop may close it before the entries fill', () => {
    const orders: readonly Given[] = [
      { state: 'accepted', of: { quantity: '3', price: '59000' } },
      { state: 'accepted', of: { quantity: '2', price: '61000', side: 'sell' } },
    ];
    expect(ledgerOf(orders, '-2').of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('3'),
      minPosition: d('-4'),
    });
    expect(ledgerOf(orders, '2').of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('5'),
      minPosition: d('-2'),
    });
  });

  it.each([
    { orders: [], settled: true },
    { orders: [{ state: 'accepted', of: { price: '1' } }], settled: true },
    { orders: [{ state: 'accepted', of: {} }], settled: false },
    { orders: [{ state: 'sent', of: { price: '1' } }], settled: false },
    { orders: [{ state: 'quarantined', of: { price: '1' } }], settled: false },
    { orders: [{ state: 'filled', of: {} }], settled: true },
  ] as const)('a ledger of $orders is resolved: $settled', ({ orders, settled }) => {
    expect(ledgerOf(orders).allResolved).toBe(settled);
  });

  it('the ledger is not resolved while a cancel is unproved', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: { price: '1' } }]);
    ledger.byKey(0).cancelState = 'acknowledged';
    expect(ledger.allResolved).toBe(false);
  });

  it('an order that the venue has not shown for two minutes leaves the ledger settled, and counts', () => {
    const ledger = ledgerOf([
      { state: 'quarantined', of: { quantity: '2' } },
      { state: 'accepted', of: { quantity: '1', price: '1' } },
    ]);
    ledger.byKey(0).notFoundSince = 1_000;
    expect(ledger.isSettled(120_999)).toBe(false);
    expect(ledger.isSettled(121_000)).toBe(true);
    expect(ledger.allResolved).toBe(false);
    expect(ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('3'));
    ledger.byKey(1).cancelState = 'acknowledged';
    expect(ledger.isSettled(121_000)).toBe(false);
  });

  it('an order ends once', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: {} }]);
    const order = ledger.byKey(0);
    expect(() => {
      ledger.end(order);
    }).toThrow(AssertionError);
    order.state = 'filled';
    ledger.end(order);
    expect(ledger.orderCount).toBe(0);
    expect(() => {
      ledger.end(order);
    }).toThrow(AssertionError);
  });

  it("the ledger finds an order by the venue's id", () => {
    const ledger = ledgerOf([{ state: 'accepted', of: {} }]);
    expect(ledger.hasOrderId('v1')).toBe(false);
    ledger.byKey(0).orderId = 'v1';
    expect(ledger.hasOrderId('v1')).toBe(true);
  });

  it('symbols come in the order of their first orders, independent of reads', () => {
    const [asIs, lookedAt] = [new ProtocolRig(), new ProtocolRig()];
    lookedAt.ledger.openOrders('ETHUSDT', 'USDT');
    lookedAt.ledger.of('ETHUSDT', 'USDT');
    lookedAt.ledger.pendingQuantity('ETHUSDT', 'USDT');
    const [symbols, again] = [asIs, lookedAt].map((rig) => {
      for (const [ordinal, symbol] of ['BTCUSDT', 'ETHUSDT'].entries())
        rig.ledger.add(rig.order({ symbol, ordinal }));
      return [...rig.ledger.allOpenOrders()].map(({ terms }) => terms.symbol);
    });
    expect(again).toEqual(symbols);
  });

  it('keys of orders count up', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: {} }]);
    expect(ledger.nextKey).toBe(1);
    expect(() => {
      ledger.add(ledger.byKey(0));
    }).toThrow(AssertionError);
    expect(ledger.byKey(0).remaining).toBe(fixed(scaledOf(d('0.001'))));
  });
});
