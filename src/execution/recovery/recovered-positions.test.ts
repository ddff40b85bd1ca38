import { describe, expect, it } from 'vitest';
import { placement, ProtocolRig, reportOf, yes } from '../../../test/support/rigs/protocol-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';
import { recoverFillTimes, recoverPositions } from './recovered-positions.js';

/** A journal with fills of these sides and quantities. */
function filled(
  ...orders: readonly (readonly ['buy' | 'sell', string])[]
): readonly JournalRecord[] {
  const rig = new ProtocolRig();
  for (const [ordinal, [side, quantity]] of orders.entries()) {
    const order = rig.placedOrder({ side, quantity, ordinal });
    rig.answer('place', placement(`v${ordinal}`));
    const of = {
      orderId: `v${ordinal}`,
      status: 'filled',
      filled: quantity,
      average: '60000',
    } as const;
    rig.answerOrderQuery(yes(reportOf(order.terms, of)));
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

describe('recovered positions', () => {
  it('positions are the sum of the fills, and absent where it is 0', () => {
    expect(recoverPositions([])).toEqual([]);
    expect(recoverPositions(filled(['buy', '2'], ['sell', '3']))).toEqual([
      { ...BTC, quantity: d('-1') },
    ]);
    expect(recoverPositions(filled(['buy', '2'], ['sell', '2']))).toEqual([]);
  });

  it('a recorded position replaces the sum, and later fills add to it', () => {
    const before = filled(['buy', '2']);
    expect(recoverPositions([...before, position('0')])).toEqual([]);
    const after = filled(['buy', '2'], ['buy', '1']).slice(before.length);
    expect(recoverPositions([...before, position('0'), ...after])).toEqual([
      { ...BTC, quantity: d('1') },
    ]);
  });
});

describe('external part of a recovered position', () => {
  const shared = (quantity: string, foreign: string): JournalRecord => ({
    ...(position(quantity) as JournalRecordOf<'position'>),
    foreign: d(foreign),
  });
  const before = filled(['buy', '2']);
  const fills = (side: 'buy' | 'sell', quantity: string): readonly JournalRecord[] =>
    filled(['buy', '2'], [side, quantity]).slice(before.length);

  it.each([
    { then: [], quantity: '5', foreign: '3' },
    { then: fills('buy', '1'), quantity: '6', foreign: '3' },
    { then: fills('sell', '1'), quantity: '4', foreign: '3' },
    { then: fills('sell', '3'), quantity: '2', foreign: '2' },
    { then: fills('sell', '6'), quantity: '-1', foreign: undefined },
  ])(
    'the external part follows our fills: $quantity, of it $foreign',
    ({ then, quantity, foreign }) => {
      expect(recoverPositions([...before, shared('5', '3'), ...then])).toEqual([
        { ...BTC, quantity: d(quantity), ...(foreign !== undefined && { foreign: d(foreign) }) },
      ]);
    },
  );

  it('the external part is absent where fills have closed the position', () => {
    expect(recoverPositions([...before, shared('5', '3'), ...fills('sell', '5')])).toEqual([]);
  });
});

describe("time of a symbol's last fill", () => {
  const at = (record: JournalRecord, venueTime: number): JournalRecord => ({
    ...record,
    venueTime,
  });
  const [intent] = filled(['buy', '2']);
  const update = filled(['buy', '2']).find(({ type }) => type === 'update');
  if (intent?.type !== 'intent' || update?.type !== 'update') throw new Error('an order fills');

  it.each<{ what: string; records: readonly JournalRecord[]; filledAt: number | undefined }>([
    { what: 'no fill', records: [at(intent, 5)], filledAt: undefined },
    { what: 'a fill', records: [at(intent, 5), at(update, 9)], filledAt: 9 },
    { what: 'two', records: [intent, at(update, 9), at(update, 12)], filledAt: 12 },
    { what: 'two out of order', records: [intent, at(update, 12), at(update, 9)], filledAt: 12 },
    {
      what: 'an update without a fill',
      records: [intent, { ...update, filledQuantity: d('0') }],
      filledAt: undefined,
    },
    { what: 'a fill of an unknown order', records: [update], filledAt: undefined },
  ])('the last fill after $what is at $filledAt', ({ records, filledAt }) => {
    expect(recoverFillTimes(records).get('BTCUSDT')).toBe(filledAt);
  });
});
