import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/harness/protocol-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import { InheritedFills } from './inherited-fills.js';

const held = (quantity: string) =>
  quantity === '0'
    ? []
    : [{ symbol: 'BTCUSDT', currency: 'USDT', quantity: d<'quantity'>(quantity) } as const];

interface Case {
  readonly named: string;
  readonly expected: string;
  readonly shown: string;
  /** Untold after the beginning, and how much of a fill of 1 it holds. */
  readonly untold: string;
  readonly told: string;
}

describe('a buy of 1 that may have filled', () => {
  it.each<Case>([
    { named: 'is not held where nothing moved', expected: '0', shown: '0', untold: '0', told: '0' },
    { named: 'is held whole', expected: '0', shown: '1', untold: '1', told: '1' },
    { named: 'is held in part', expected: '2', shown: '2.4', untold: '0.4', told: '0.4' },
    { named: 'closed a short', expected: '-1', shown: '0', untold: '1', told: '1' },
    { named: 'explains no growth beyond it', expected: '0', shown: '1.5', untold: '0', told: '0' },
    { named: 'explains no move down', expected: '1', shown: '0', untold: '0', told: '0' },
  ])('$named', ({ expected, shown, untold, told }) => {
    const order = new ProtocolRig().placed({ quantity: '1' });
    const fills = new InheritedFills();
    const [before, after] = [held(expected), held(shown)];
    fills.begin({ currency: 'USDT', expected: before, shown: after, orders: [order] });
    expect(fills.untold('BTCUSDT')).toBe(d(untold));
    expect(fills.tell(order, d('1'))).toBe(d(told));
    expect(fills.tell(order, d('1')), 'once').toBe(0);
  });

  it('is told in pieces, by itself alone, and not after the symbol is settled', () => {
    const rig = new ProtocolRig();
    const [order, other] = [rig.placed({ quantity: '1' }), rig.order({ ordinal: 1 })];
    const begun = (): InheritedFills => {
      const fills = new InheritedFills();
      fills.begin({ currency: 'USDT', expected: [], shown: held('1'), orders: [order] });
      return fills;
    };
    const fills = begun();
    expect(fills.tell(other, d('1'))).toBe(0);
    expect(fills.tell(order, d('0.3'))).toBe(d('0.3'));
    expect(fills.tell(order, d('0.7'))).toBe(d('0.7'));
    const settled = begun();
    settled.forget('BTCUSDT');
    expect(settled.tell(order, d('1'))).toBe(0);
  });
});
