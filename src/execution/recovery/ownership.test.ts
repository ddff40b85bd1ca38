import { describe, expect, it } from 'vitest';
import { placement, ProtocolRig, reportOf, yes } from '../../../test/support/rigs/protocol-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { compactedRecords, recoveredHash } from '../journal/journal-compaction.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
  type JournalRecordOf,
} from '../journal/journal-record.js';
import { recover } from './recovery.js';

const ACCOUNT = 'demo';
const OLD = 'demo-strategy';

type Ownership = JournalRecordOf<'ownership'>;

const header: JournalRecord = { type: 'header', venueTime: 1, account: ACCOUNT, venue: 'v' };
const state = (strategyId: string, key: string, value: string): JournalRecord => ({
  type: 'state',
  venueTime: 1,
  strategyId,
  kept: { key, version: 1, value },
});

/** A filled order and a resting one of one strategy. */
function traded(): { readonly records: readonly JournalRecord[]; readonly resting: string } {
  const rig = new ProtocolRig();
  const filled = rig.placedOrder({ side: 'buy', quantity: '2', ordinal: 0 });
  rig.answer('place', placement('v0'));
  const of = { orderId: 'v0', status: 'filled', filled: '2', average: '60000' } as const;
  rig.answerOrderQuery(yes(reportOf(filled.terms, of)));
  const resting = rig.placedOrder({
    side: 'buy',
    quantity: '1',
    ordinal: 1,
    price: '50000',
  });
  rig.answer('place', placement('v1'));
  return { records: rig.records, resting: resting.clientOrderId };
}

const { records: orders, resting } = traded();
const [intent] = orders.filter((each) => each.type === 'intent');
const id = intent?.strategyId ?? OLD;
const journal = [header, ...orders, state(id, '*', '{"n":1}'), state(id, 'target:BTCUSDT', '{}')];

const decision = (changes: Partial<Ownership>): Ownership => ({
  type: 'ownership',
  venueTime: 2,
  decision: 'rename',
  strategyId: id,
  symbols: ['BTCUSDT'],
  orders: [],
  kept: [],
  dropped: [],
  reason: 'a test',
  decidedAt: 3,
  ...changes,
});
const renamed = decision({
  to: 'new',
  kept: [
    { key: '*', version: 1, value: '{"n":1}' },
    { key: 'target:BTCUSDT', version: 1, value: '{}' },
  ],
  dropped: ['*', 'target:BTCUSDT'],
});
const adopted = decision({
  decision: 'adopt',
  to: 'new',
  orders: [resting],
  dropped: ['target:BTCUSDT'],
});
const retired = decision({
  decision: 'retire',
  orders: [resting],
  dropped: ['*', 'target:BTCUSDT'],
});
const closed = { ...retired, close: true };
const stopped: JournalRecord = {
  type: 'strategy',
  venueTime: 1,
  strategyId: id,
  isStopped: true,
  isClosing: false,
  isPaused: false,
  cause: 'a person',
};

const ownersOf = (records: readonly JournalRecord[]) =>
  recover(records, ACCOUNT).orders.map(({ owner }) => owner);
const keysOf = (records: readonly JournalRecord[], of: string) => [
  ...(recover(records, ACCOUNT).states.get(of)?.keys() ?? []),
];

describe('a person decides what a strategy id holds', () => {
  it('a renamed strategy has the orders, the state and the stop of its old id', () => {
    const records = [...journal, stopped, renamed];
    expect(ownersOf(records)).toEqual(['new', 'new']);
    expect(keysOf(records, id)).toEqual([]);
    expect(keysOf(records, 'new')).toEqual(['*', 'target:BTCUSDT']);
    const { switches } = recover(records, ACCOUNT);
    expect([...switches.keys()]).toEqual(['new']);
    const later = [...records, ...orders.slice(0, 1)];
    expect(recover(later, ACCOUNT).orders.map((order) => order.create(0).owner)).toContain(id);
  });

  it('an adopted position leaves the ended orders and the other states with the old id', () => {
    const records = [...journal, adopted];
    expect(ownersOf(records)).toEqual([id, 'new']);
    expect(keysOf(records, id)).toEqual(['*']);
  });

  it('a retired id leaves its position without an owner, and its entries are canceled', () => {
    const { positions, orders: found, switches } = recover([...journal, retired], ACCOUNT);
    expect(positions).toMatchObject([{ quantity: d('2'), foreign: d('2') }]);
    expect(found[1]?.create(0)).toMatchObject({ active: false, cancelState: 'wanted' });
    expect(switches.size).toBe(0);
  });

  it('a retired id with a close keeps its position until a record ends the close', () => {
    const records = [...journal, closed];
    const { positions, switches } = recover(records, ACCOUNT);
    expect(positions).toMatchObject([{ quantity: d('2') }]);
    expect(positions[0]).not.toHaveProperty('foreign');
    expect(switches.get(id)).toMatchObject({ isClosing: true, symbols: ['BTCUSDT'] });
    const ended = { ...stopped, isStopped: false };
    expect(recover([...records, ended], ACCOUNT).switches.size).toBe(0);
  });

  it.each([
    ['a rename', [renamed]],
    ['an adoption', [adopted]],
    ['a retirement', [retired]],
    ['a retirement with a close', [closed]],
    ['a close that has ended', [closed, { ...stopped, isStopped: false }]],
    ['two renames', [renamed, decision({ strategyId: 'new', to: 'newer' })]],
  ] as const)('a compaction after %s starts a bot as the whole journal does', (_what, more) => {
    const records = [...journal, stopped, ...more];
    const compacted = compactedRecords(records, ACCOUNT)
      .map(encodeJournalRecord)
      .map(decodeJournalRecord);
    expect(recoveredHash(compacted, ACCOUNT)).toBe(recoveredHash(records, ACCOUNT));
    expect(ownersOf(compacted)).toEqual(ownersOf(records));
    expect(recoveredHash(records, ACCOUNT)).not.toBe(recoveredHash([...journal, stopped], ACCOUNT));
  });
});
