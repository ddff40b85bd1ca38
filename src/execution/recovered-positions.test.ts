import { describe, expect, it } from 'vitest';
import { placement, ProtocolRig, reportOf, yes } from '../../test/harness/protocol-rig.js';
import { d } from '../../test/harness/risk-case.js';
import type { JournalRecord } from './journal-record.js';
import { recoverPositions } from './recovered-positions.js';

/** A journal in which orders of these sides and quantities filled. */
function filled(
  ...orders: readonly (readonly ['buy' | 'sell', string])[]
): readonly JournalRecord[] {
  const rig = new ProtocolRig();
  for (const [ordinal, [side, quantity]] of orders.entries()) {
    const order = rig.placed({ side, quantity, ordinal });
    rig.answer('place', placement(`v${ordinal}`));
    const of = {
      orderId: `v${ordinal}`,
      status: 'filled',
      filled: quantity,
      average: '60000',
    } as const;
    rig.look(yes(reportOf(order.terms, of)));
  }
  return rig.records;
}
const position = (quantity: string): JournalRecord => ({
  type: 'position',
  venueTime: 1,
  symbol: 'BTCUSDT',
  currency: 'USDT',
  quantity: d(quantity),
  cause: 'a stop fired',
});
const BTC = { symbol: 'BTCUSDT', currency: 'USDT' } as const;

describe('the positions that a journal leaves', () => {
  it('are what the fills add up to, and nothing where they cancel out', () => {
    expect(recoverPositions([])).toEqual([]);
    expect(recoverPositions(filled(['buy', '2'], ['sell', '3']))).toEqual([
      { ...BTC, quantity: d('-1') },
    ]);
    expect(recoverPositions(filled(['buy', '2'], ['sell', '2']))).toEqual([]);
  });

  it('begin anew where the journal names one, and fills go on from there', () => {
    const before = filled(['buy', '2']);
    expect(recoverPositions([...before, position('0')])).toEqual([]);
    const after = filled(['buy', '2'], ['buy', '1']).slice(before.length);
    expect(recoverPositions([...before, position('0'), ...after])).toEqual([
      { ...BTC, quantity: d('1') },
    ]);
  });
});
