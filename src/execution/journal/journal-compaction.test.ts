import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { diskWithStored } from '../../../test/support/builders/stored-journal.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { compactedRecords, recoveredHash } from './journal-compaction.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
  type JournalRecordOf,
} from './journal-record.js';
import { recover } from '../recovery/recovery.js';

const ACCOUNT = 'golden';

async function stored(version: string, name: string): Promise<readonly JournalRecord[]> {
  const log = await openFramedLog(diskWithStored(version, name), '/state', 'journal');
  return log.read().map(decodeJournalRecord);
}

const roundTrip = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.map(encodeJournalRecord).map(decodeJournalRecord);
const hashOf = (records: readonly JournalRecord[]): string => recoveredHash(records, ACCOUNT);
const isOf = (type: JournalRecord['type']) => (record: JournalRecord) => record.type === type;

const every = await stored('v1', 'every-record');
const demo = await stored('v1', 'demo');
const intents = every.filter(isOf('intent')) as JournalRecordOf<'intent'>[];
const [header] = every as readonly [JournalRecord, ...JournalRecord[]];
const venueTime = 1_746_403_260_000;

describe('compacted journal', () => {
  it.each([
    ['of every kind of record', every],
    ['of a run', demo],
  ])('%s starts a bot as the whole journal does (P7)', (_what, records) => {
    const compacted = compactedRecords(records, ACCOUNT);
    expect(hashOf(roundTrip(compacted))).toBe(hashOf(records));
    expect(compacted.length).toBeLessThan(records.length / 1.5);
    const ordersOf = (each: readonly JournalRecord[]) =>
      recover(each, ACCOUNT).orders.map((order, key) => order.create(key));
    expect(ordersOf(roundTrip(compacted))).toEqual(ordersOf(records));
  });

  it('the header stays first and every order keeps its place', () => {
    const compacted = compactedRecords(every, ACCOUNT);
    expect(compacted[0]).toEqual(header);
    const ids = compacted.flatMap((record) =>
      record.type === 'past' || record.type === 'intent' ? [record.clientOrderId] : [],
    );
    expect(ids).toEqual(intents.map(({ clientOrderId }) => clientOrderId));
  });

  it('an ended order has one record, and an open order has all of its records', () => {
    const compacted = compactedRecords(every, ACCOUNT);
    const open = intents.at(-1)?.clientOrderId;
    const typesOf = (id: string | undefined) =>
      compacted.flatMap((record) =>
        'clientOrderId' in record && record.clientOrderId === id ? [record.type] : [],
      );
    expect(typesOf(open)).toEqual(['intent', 'attempt']);
    for (const { clientOrderId } of intents.slice(0, -1)) {
      expect(typesOf(clientOrderId)).toEqual(['past']);
    }
  });

  it('a fenced order keeps the fence that landed in its place', () => {
    const intent = intents.at(-1) as JournalRecordOf<'intent'>;
    const { clientOrderId } = intent;
    const terms = { ...intent.terms, type: 'limit' as const, quantity: d<'quantity'>('0.002') };
    const fence = { ...terms, price: d<'price'>('30000') };
    const update = every.find(isOf('update')) as JournalRecordOf<'update'>;
    const records: readonly JournalRecord[] = [
      header,
      intent,
      { type: 'instruction', venueTime, clientOrderId, instruction: 'cancel', reason: 'stopped' },
      { type: 'fence', venueTime, clientOrderId, attempt: 1, terms: fence },
      { type: 'fence-outcome', venueTime, clientOrderId, attempt: 1, outcome: 'yes', orderId: 'v' },
      { ...update, clientOrderId, filledQuantity: d('0'), status: 'canceled', final: true },
    ];
    const compacted = roundTrip(compactedRecords(records, ACCOUNT));
    expect(compacted.filter(isOf('past'))).toHaveLength(1);
    expect(hashOf(compacted)).toBe(hashOf(roundTrip(records)));
    const [order] = recover(compacted, ACCOUNT).orders.map((each) => each.create(0));
    expect(order).toMatchObject({ state: 'canceled', isFence: true, terms: fence });
  });

  it('a compacted journal is its own compaction', () => {
    const once = roundTrip(compactedRecords(demo, ACCOUNT));
    expect(compactedRecords(once, ACCOUNT)).toEqual(once);
  });

  it('records that may still matter stay', () => {
    const begun = every.find(
      (record) => record.type === 'command' && record.command.kind === 'operation',
    );
    const kept = compactedRecords(every, ACCOUNT);
    expect(kept).toContainEqual(begun);
    expect(kept.filter(isOf('leverage'))).toHaveLength(1);
    expect(kept.filter(isOf('verdict'))).toEqual([]);
    expect(kept.filter(isOf('mode')), 'the one of a symbol').toHaveLength(1);
  });

  it('positions from fills and other causes stay, and later records continue from them', () => {
    const [first, second] = intents as [JournalRecordOf<'intent'>, JournalRecordOf<'intent'>];
    const { clientOrderId } = first;
    const update = (filled: string, final: boolean, id = clientOrderId): JournalRecord => ({
      type: 'update',
      venueTime,
      clientOrderId: id,
      orderId: 'o-1',
      status: final ? 'filled' : 'partially-filled',
      filledQuantity: d(filled),
      final,
    });
    const moved: JournalRecord = {
      type: 'position',
      venueTime,
      symbol: 'BTCUSDT',
      currency: 'USDT',
      quantity: d('0.01'),
      foreign: d('0.006'),
      cause: 'somebody else',
    };
    const before = [header, second, first, update('0.001', false), moved, update('0.002', false)];
    const compacted = compactedRecords(before, ACCOUNT);
    expect(hashOf(compacted)).toBe(hashOf(before));
    const later = [update('0.004', true), update('0.004', true, second.clientOrderId)];
    expect(hashOf([...compacted, ...later])).toBe(hashOf([...before, ...later]));
  });

  it('a compaction at any moment of a run leads to the same state as the whole journal', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(every, demo),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (records, share, later) => {
          const at = 1 + Math.floor(share * (records.length - 1));
          const until = at + Math.floor(later * (records.length - at));
          const rest = records.slice(at, until);
          const compacted = compactedRecords(records.slice(0, at), ACCOUNT);
          const once = [...roundTrip(compacted), ...rest];
          expect(hashOf(once)).toBe(hashOf(records.slice(0, until)));
          const twice = compactedRecords(once, ACCOUNT);
          expect(hashOf(twice)).toBe(hashOf(once));
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('hash of recovered orders', () => {
  it('the hash differs with every fact of an order that a start uses', () => {
    const past = compactedRecords(every, ACCOUNT).find(isOf('past')) as JournalRecordOf<'past'>;
    const others: readonly Partial<JournalRecordOf<'past'>>[] = [
      { generation: 2 },
      { state: 'canceled' },
      { attempts: 7 },
      { unknownSeen: !past.unknownSeen },
      { conflictSeen: !past.conflictSeen },
      { wanted: false },
      { orderId: 'o-9' },
      { positionId: 'p-9' },
      { filledQuantity: d('0.003') },
      { averagePrice: d('1') },
      { terms: { ...past.terms, quantity: d('0.005') } },
      { decidedAt: past.decidedAt + 1 },
      { fence: { ...past.terms, quantity: d('0.005') } },
    ];
    const hashes = others.map((change) => hashOf([header, { ...past, ...change }]));
    expect(new Set([hashOf([header, past]), ...hashes]).size).toBe(others.length + 1);
  });
});

describe('hash of recovered facts beside orders', () => {
  const position = (symbol: string, quantity: string): JournalRecord => ({
    type: 'position',
    venueTime,
    symbol,
    currency: 'USDT',
    quantity: d(quantity),
    cause: 'c',
  });
  const halt = (symbol: string, cause = 'grew'): JournalRecord => ({
    type: 'mode',
    venueTime,
    symbol,
    from: 'TRADING',
    to: 'HALTED',
    cause,
  });
  const adopt = (what: string): JournalRecord => ({
    type: 'command',
    venueTime,
    commandId: what,
    command: { kind: 'adopt', what },
  });
  const kept = (strategyId: string, value: string): JournalRecord => ({
    type: 'state',
    venueTime,
    strategyId,
    kept: { key: 'k', version: 1, value },
  });
  const leverage: JournalRecord = {
    type: 'leverage',
    venueTime,
    symbol: 'BTCUSDT',
    currency: 'USDT',
    leverage: d('2'),
    source: 'read',
  };
  const note: JournalRecord = { type: 'note', venueTime, level: 'info', text: 't' };
  const pastAt = (time: number): JournalRecord => ({
    ...(compactedRecords(every, ACCOUNT).find(
      (record) => record.type === 'past' && record.filledQuantity !== 0,
    ) as JournalRecordOf<'past'>),
    venueTime: time,
  });

  it('the hash differs with each fact', () => {
    const journals: readonly (readonly JournalRecord[])[] = [
      [],
      [position('BTCUSDT', '1')],
      [position('BTCUSDT', '2')],
      [position('ETHUSDT', '1')],
      [halt('BTCUSDT')],
      [halt('ETHUSDT')],
      [halt('BTCUSDT', 'shrank')],
      [adopt('a')],
      [adopt('b')],
      [kept('a', '1')],
      [kept('a', '2')],
      [kept('b', '1')],
      [leverage],
      [{ ...leverage, leverage: d('3') }],
      [pastAt(1)],
      [pastAt(2)],
    ];
    const hashes = journals.map((records) => hashOf([header, ...records]));
    expect(new Set(hashes).size).toBe(journals.length);
  });

  it.each([
    { what: 'positions', records: [position('BTCUSDT', '1'), position('ETHUSDT', '2')] },
    { what: 'halts', records: [halt('BTCUSDT'), halt('ETHUSDT')] },
    { what: 'states', records: [kept('a', '1'), kept('b', '2')] },
  ])('the hash is independent of the order of $what', ({ records }) => {
    expect(hashOf([header, ...records.toReversed()])).toBe(hashOf([header, ...records]));
  });

  it('the hash ignores informational and outdated records', () => {
    const over: readonly JournalRecord[] = [
      note,
      { type: 'rescue', venueTime, cause: 'ENOSPC' },
      ...(
        [
          { kind: 'stop', policy: 'keep' },
          { kind: 'kill', level: 'pause', reason: 'r' },
          { kind: 'cancel', clientOrderId: intents[0]?.clientOrderId ?? '' },
        ] as const
      ).map((command) => ({ type: 'command' as const, venueTime, commandId: 'c', command })),
    ];
    for (const record of over) {
      expect(hashOf([header, record]), record.type).toBe(hashOf([header]));
      expect(compactedRecords([header, record], ACCOUNT)).toEqual([header]);
    }
  });

  it('the hash of a compaction with restated positions is the same', () => {
    const records = [header, position('ETHUSDT', '2'), position('BTCUSDT', '1'), adopt('a'), note];
    const at = { ...note, venueTime: venueTime + 5 };
    const compacted = compactedRecords([...records, at], ACCOUNT);
    const evidence = { cause: 'compacted', venueTime: venueTime + 5 };
    expect(compacted).toEqual([
      header,
      adopt('a'),
      { ...position('BTCUSDT', '1'), ...evidence },
      { ...position('ETHUSDT', '2'), ...evidence },
    ]);
  });

  it('the hash of an empty journal is that of nothing', () => {
    expect(compactedRecords([], ACCOUNT)).toEqual([]);
  });
});

describe('past record of an ended order', () => {
  const [intent] = intents as [JournalRecordOf<'intent'>];
  const { clientOrderId } = intent;
  const update = (filled: string, at: number, final: boolean): JournalRecord => ({
    type: 'update',
    venueTime: at,
    clientOrderId,
    orderId: 'o-1',
    status: final ? 'canceled' : 'partially-filled',
    filledQuantity: d(filled),
    final,
  });
  const ends = (records: readonly JournalRecord[]): number | undefined =>
    compactedRecords([header, intent, ...records], ACCOUNT).find(isOf('past'))?.venueTime;

  it.each([
    {
      what: 'its last fill',
      records: [update('0.001', 50, false), update('0.001', 60, true)],
      at: 60,
    },
    {
      what: 'the later of two',
      records: [update('0.002', 70, false), update('0.002', 60, true)],
      at: 70,
    },
    {
      what: 'its intent, where nothing filled',
      records: [update('0', 60, true)],
      at: intent.venueTime,
    },
  ])('a past record has the time of $what', ({ records, at }) => {
    expect(ends(records)).toBe(at);
  });
});
