import { describe, expect, it } from 'vitest';
import { compactedRecords, recoveredHash } from '../journal/journal-compaction.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../journal/journal-record.js';
import { recoverFlatten } from './recovered-flatten.js';

const HEADER: JournalRecord = { type: 'header', venueTime: 0, account: 'demo', venue: 'here' };
const flatten = (
  commandId: string,
  state: 'wanted' | 'flat' | 'withdrawn',
): Extract<JournalRecord, { type: 'flatten' }> => ({
  type: 'flatten',
  venueTime: 1,
  commandId,
  state,
  text: `${commandId} ${state}`,
});
const stop: JournalRecord = {
  type: 'command',
  venueTime: 1,
  commandId: 'c0',
  command: { kind: 'stop', policy: 'flatten' },
};

interface Row {
  readonly what: string;
  readonly records: readonly JournalRecord[];
  readonly left: string | undefined;
}

describe('recovered flatten', () => {
  it.each<Row>([
    { what: 'nothing', records: [], left: undefined },
    { what: 'a stop of an older Sluice, which journaled no end', records: [stop], left: undefined },
    { what: 'a wish', records: [stop, flatten('c0', 'wanted')], left: 'c0' },
    {
      what: 'a wish and its end',
      records: [flatten('c0', 'wanted'), flatten('c0', 'flat')],
      left: undefined,
    },
    {
      what: 'a wish that was withdrawn',
      records: [flatten('c0', 'wanted'), flatten('c0', 'withdrawn')],
      left: undefined,
    },
    {
      what: 'a wish in the place of another',
      records: [flatten('c0', 'wanted'), flatten('c1', 'wanted')],
      left: 'c1',
    },
    {
      what: 'a wish after one that came to its end',
      records: [flatten('c0', 'wanted'), flatten('c0', 'flat'), flatten('c1', 'wanted')],
      left: 'c1',
    },
  ])('the flatten after $what is $left, before and after a compaction', ({ records, left }) => {
    const journal = [HEADER, ...records];
    expect(recoverFlatten(journal)?.commandId).toBe(left);
    const compacted = compactedRecords(journal, 'demo');
    expect(recoverFlatten(compacted)).toEqual(recoverFlatten(journal));
    expect(recoveredHash(compacted, 'demo')).toBe(recoveredHash(journal, 'demo'));
    const kept = compacted.filter(({ type }) => type === 'flatten');
    expect(kept).toHaveLength(left === undefined ? 0 : 1);
  });

  it('a flatten record is read as it was written', () => {
    for (const record of [flatten('c0', 'wanted'), flatten('c0', 'flat')])
      expect(decodeJournalRecord(encodeJournalRecord(record))).toEqual(record);
    const dropped: JournalRecord = { ...stop, command: { kind: 'drop-flatten' } };
    expect(decodeJournalRecord(encodeJournalRecord(dropped))).toEqual(dropped);
  });
});
