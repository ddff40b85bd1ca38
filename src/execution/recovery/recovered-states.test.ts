import { describe, expect, it } from 'vitest';
import { compactedRecords, recoveredHash } from '../journal/journal-compaction.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../journal/journal-record.js';
import { recoverStates, stateRecords } from './recovered-states.js';

const state = (strategyId: string, key: string, value: string, version = 1): JournalRecord => ({
  type: 'state',
  venueTime: 1,
  strategyId,
  kept: { key, version, value },
});

const HEADER: JournalRecord = { type: 'header', venueTime: 0, account: 'demo', venue: 'here' };

const RECORDS = [
  HEADER,
  state('one', 'BTCUSDT', '{"n":1}'),
  state('one', '*', '{"all":true}', 3),
  state('two', 'BTCUSDT', '{"n":9}'),
  {
    type: 'state',
    venueTime: 1,
    strategyId: 'one',
    kept: { key: 'BTCUSDT', version: 2, value: '{"n":2}', seen: { 'BTCUSDT 1m': 60_000 } },
  },
] satisfies readonly JournalRecord[];

describe('recovered states', () => {
  it('each strategy has its newest state under each key', () => {
    const states = recoverStates(RECORDS);
    expect(states.get('one')?.get('BTCUSDT')).toEqual({
      version: 2,
      value: '{"n":2}',
      seen: { 'BTCUSDT 1m': 60_000 },
    });
    expect(states.get('one')?.get('*')).toEqual({ version: 3, value: '{"all":true}' });
    expect(states.get('two')?.get('BTCUSDT')).toEqual({ version: 1, value: '{"n":9}' });
    expect(states.get('three')).toBeUndefined();
  });

  it('a compaction keeps the states, in one record per key', () => {
    const compacted = compactedRecords(RECORDS, 'demo');
    expect(recoverStates(compacted)).toEqual(recoverStates(RECORDS));
    expect(compacted.filter(({ type }) => type === 'state')).toHaveLength(3);
    expect(recoveredHash(compacted, 'demo')).toBe(recoveredHash(RECORDS, 'demo'));
    expect(stateRecords(recoverStates([]), 1)).toEqual([]);
  });

  it('a state record is read as it was written', () => {
    for (const record of RECORDS) {
      expect(decodeJournalRecord(encodeJournalRecord(record))).toEqual(record);
    }
  });
});
