import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/support/rigs/protocol-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { SnapshotFillDedup } from './snapshot-fill-dedup.js';

const held = (quantity: string) =>
  quantity === '0'
    ? []
    : [{ symbol: 'BTCUSDT', currency: 'USDT', quantity: d<'quantity'>(quantity) } as const];

interface Case {
  readonly named: string;
  readonly expected: string;
  readonly shown: string;
  /** Unreported quantity after the start, and the part of a fill of 1 that it includes. */
  readonly remaining: string;
  readonly reported: string;
}

describe('a buy of 1 that may have filled', () => {
  it.each<Case>([
    {
      named: 'is not held where nothing moved',
      expected: '0',
      shown: '0',
      remaining: '0',
      reported: '0',
    },
    { named: 'is held whole', expected: '0', shown: '1', remaining: '1', reported: '1' },
    { named: 'is held in part', expected: '2', shown: '2.4', remaining: '0.4', reported: '0.4' },
    { named: 'closed a short', expected: '-1', shown: '0', remaining: '1', reported: '1' },
    {
      named: 'explains no growth beyond it',
      expected: '0',
      shown: '1.5',
      remaining: '0',
      reported: '0',
    },
    { named: 'explains no move down', expected: '1', shown: '0', remaining: '0', reported: '0' },
  ])('$named', ({ expected, shown, remaining, reported }) => {
    const order = new ProtocolRig().placedOrder({ quantity: '1' });
    const fills = new SnapshotFillDedup();
    const [before, after] = [held(expected), held(shown)];
    fills.start({ currency: 'USDT', expected: before, shown: after, orders: [order] });
    expect(fills.remainingOf('BTCUSDT')).toBe(d(remaining));
    expect(fills.consume(order, d('1'))).toBe(d(reported));
    expect(fills.consume(order, d('1')), 'once').toBe(0);
  });

  it('the included fill is consumed in pieces, by its own order alone, and not after the symbol is settled', () => {
    const rig = new ProtocolRig();
    const [order, other] = [rig.placedOrder({ quantity: '1' }), rig.order({ ordinal: 1 })];
    const started = (): SnapshotFillDedup => {
      const fills = new SnapshotFillDedup();
      fills.start({ currency: 'USDT', expected: [], shown: held('1'), orders: [order] });
      return fills;
    };
    const fills = started();
    expect(fills.consume(other, d('1'))).toBe(0);
    expect(fills.consume(order, d('0.3'))).toBe(d('0.3'));
    expect(fills.consume(order, d('0.7'))).toBe(d('0.7'));
    const settled = started();
    settled.forget('BTCUSDT');
    expect(settled.consume(order, d('1'))).toBe(0);
  });

  it("a part that no order is left to explain is nobody's: its last order has ended without it", () => {
    const rig = new ProtocolRig();
    const first = rig.placedOrder({ quantity: '1' });
    const second = rig.order({ quantity: '1', ordinal: 1 });
    const fills = new SnapshotFillDedup();
    const orders = [first, second];
    fills.start({ currency: 'USDT', expected: [], shown: held('1.2'), orders });
    expect(fills.onEnded(first), 'the other may have bought 1 of it').toBe(d('0.2'));
    expect(fills.remainingOf('BTCUSDT')).toBe(d('1'));
    fills.consume(second, d('0.4'));
    expect(fills.onEnded(second)).toBe(d('0.6'));
    expect(fills.onEnded(second), 'once').toBe(0);
    expect(fills.remainingOf('BTCUSDT')).toBe(0);
  });

  it("a sold part that no order is left to explain is nobody's", () => {
    const order = new ProtocolRig().placedOrder({ quantity: '1', side: 'sell' });
    const fills = new SnapshotFillDedup();
    fills.start({ currency: 'USDT', expected: held('1'), shown: held('0.5'), orders: [order] });
    expect(fills.onEnded(order)).toBe(d('-0.5'));
  });
});
