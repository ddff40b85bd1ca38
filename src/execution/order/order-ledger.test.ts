import { describe, expect, it } from 'vitest';
import { d, type IntentCase } from '../../../test/harness/risk-case.js';
import { ProtocolRig } from '../../../test/harness/protocol-rig.js';
import { AssertionError } from '../../core/assert.js';
import { fixed } from '../../core/fixed.js';
import type { OrderState } from './order-state.js';
import { scaledOf } from '../../../test/harness/scaled.js';

interface Given {
  readonly state: OrderState;
  readonly of: IntentCase;
  readonly filled?: string;
}

function ledgerOf(orders: readonly Given[], position = '0') {
  const rig = new ProtocolRig();
  if (position !== '0') {
    rig.positions.fill({
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
  it.each(ACTIVE)('counts an order that is %s at its worst', (state) => {
    const ledger = ledgerOf([{ state, of: { quantity: '2' }, filled: '0.5' }], '1');
    expect(ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      position: d('1'),
      longest: d('2.5'),
      shortest: d('1'),
      orders: 1,
    });
    expect(ledger.orders).toBe(1);
  });

  it.each(ENDED)('does not count an order that is %s', (state) => {
    const ledger = ledgerOf([{ state, of: { quantity: '2' } }], '1');
    expect(ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      longest: d('1'),
      shortest: d('1'),
      orders: 0,
    });
    expect(ledger.orders).toBe(0);
  });

  it('keeps what buys, what sells and what reduces apart, and the currencies too', () => {
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
      longest: d('3'),
      shortest: d('-2'),
      reducing: d('1'),
      orders: 3,
      unknown: 1,
    });
    expect(ledger.pending('BTCUSDT', 'USDT')).toBe(d('-2'));
    expect(ledger.orders).toBe(4);
  });
});

describe('the ledger', () => {
  it.each([
    { orders: [], settled: true },
    { orders: [{ state: 'accepted', of: { price: '1' } }], settled: true },
    { orders: [{ state: 'accepted', of: {} }], settled: false },
    { orders: [{ state: 'sent', of: { price: '1' } }], settled: false },
    { orders: [{ state: 'quarantined', of: { price: '1' } }], settled: false },
    { orders: [{ state: 'filled', of: {} }], settled: true },
  ] as const)('of $orders is settled: $settled', ({ orders, settled }) => {
    expect(ledgerOf(orders).settled).toBe(settled);
  });

  it('is not settled while a cancel waits for its proof', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: { price: '1' } }]);
    ledger.byKey(0).cancelState = 'acknowledged';
    expect(ledger.settled).toBe(false);
  });

  it('ends an order once', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: {} }]);
    const order = ledger.byKey(0);
    expect(() => {
      ledger.end(order);
    }).toThrow(AssertionError);
    order.state = 'filled';
    ledger.end(order);
    expect(ledger.orders).toBe(0);
    expect(() => {
      ledger.end(order);
    }).toThrow(AssertionError);
  });

  it('knows whether an order of the venue is one of ours', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: {} }]);
    expect(ledger.hasOrderId('v1')).toBe(false);
    ledger.byKey(0).orderId = 'v1';
    expect(ledger.hasOrderId('v1')).toBe(true);
  });

  it('goes through symbols in the order of their first orders, whoever has looked at which before', () => {
    const [asIs, lookedAt] = [new ProtocolRig(), new ProtocolRig()];
    lookedAt.ledger.active('ETHUSDT', 'USDT');
    lookedAt.ledger.of('ETHUSDT', 'USDT');
    lookedAt.ledger.pending('ETHUSDT', 'USDT');
    const [symbols, again] = [asIs, lookedAt].map((rig) => {
      for (const [ordinal, symbol] of ['BTCUSDT', 'ETHUSDT'].entries())
        rig.ledger.add(rig.order({ symbol, ordinal }));
      return [...rig.ledger.allActive()].map(({ terms }) => terms.symbol);
    });
    expect(again).toEqual(symbols);
  });

  it('has keys that count up', () => {
    const ledger = ledgerOf([{ state: 'accepted', of: {} }]);
    expect(ledger.nextKey).toBe(1);
    expect(() => {
      ledger.add(ledger.byKey(0));
    }).toThrow(AssertionError);
    expect(ledger.byKey(0).remaining).toBe(fixed(scaledOf(d('0.001'))));
  });
});
