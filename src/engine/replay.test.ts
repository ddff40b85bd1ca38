import { describe, expect, it } from 'vitest';
import { VENUE_TIME } from '../../test/support/builders/risk-case.js';
import { assert } from '../core/assert.js';
import type { EngineEvent } from '../core/events.js';
import type { AppendLog } from '../core/ports.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal/journal-record.js';
import { readSession, Recorder, type SessionHeader } from './recorder.js';
import { ReplaySink } from './replay.js';

const note = (text: string): JournalRecord => ({
  type: 'note',
  venueTime: VENUE_TIME,
  level: 'info',
  text,
});
const event = (key: string): EngineEvent => ({ kind: 'timer', key, venueTime: 1, monotonic: 2 });

/** An engine that journals the key of each timer, twice where it has a "+", and cannot have a "!". */
function replay(journal: readonly string[], keys: readonly string[]) {
  const sink = new ReplaySink(journal.map((text) => encodeJournalRecord(note(text))));
  const engine = {
    handle(met: EngineEvent) {
      if (met.kind !== 'timer' || met.key === '') return;
      assert(met.key !== '!', 'an impossible event');
      sink.journal(note(met.key));
      if (met.key.endsWith('+')) sink.journal(note(met.key));
    },
  };
  return sink.run(engine, keys.map(event));
}

describe('a replay', () => {
  it('a replay that makes every record again, byte for byte, is identical', () => {
    expect(replay(['a', 'b+', 'b+'], ['a', '', 'b+'])).toEqual({
      events: 3,
      records: 3,
      intents: 0,
      verdicts: 0,
      unjournaled: 0,
      identical: true,
    });
  });

  it('a replay reports the first record that differs, and its event', () => {
    const result = replay(['a', 'b', 'c'], ['a', '', 'x', 'y']);
    expect(result.identical).toBe(false);
    expect(result.difference).toMatchObject({ record: 1, event: 2 });
    expect(result.difference?.journaled).toContain('"b"');
    expect(result.difference?.replayed).toContain('"x"');
  });

  it('a replay with too few records differs at the first missing one', () => {
    const result = replay(['a', 'b'], ['a']);
    expect(result.identical).toBe(false);
    expect(result.difference).toMatchObject({ record: 1, event: 1, replayed: undefined });
  });

  it('a replay with an additional record in between differs', () => {
    expect(replay(['a+', 'b'], ['a+', 'b']).identical).toBe(false);
  });

  it.each([
    { named: 'after a difference', journal: ['a', 'b', 'c'], keys: ['a', 'x', '!'], record: 1 },
    { named: 'instead of a record', journal: ['a', 'b'], keys: ['a', '!', 'b'], record: 1 },
  ])('an event that contradicts the engine $named is a difference', ({ journal, keys, record }) => {
    const result = replay(journal, keys);
    expect(result).toMatchObject({ identical: false, difference: { record } });
  });

  it('an event that contradicts the engine without any difference is a fault', () => {
    expect(() => replay(['a'], ['a', '!'])).toThrow('an impossible event');
  });

  it('a replay of a run that was cut off counts the records that its journal lacks', () => {
    expect(replay(['a'], ['a', 'b', 'c'])).toMatchObject({ identical: true, unjournaled: 2 });
  });

  it('a replay counts intents and verdicts', () => {
    const verdict: JournalRecord = {
      type: 'verdict',
      venueTime: VENUE_TIME,
      strategyId: 's',
      decisionKey: 'k',
      leg: 0,
      phase: 'decide',
      ok: true,
      text: '',
      values: {},
    };
    const sink = new ReplaySink([encodeJournalRecord(verdict)]);
    const engine = {
      handle: () => {
        sink.journal(verdict);
      },
    };
    expect(sink.run(engine, [event('a')])).toMatchObject({ verdicts: 1, identical: true });
  });
});

describe('the recorder', () => {
  const header: SessionHeader = {
    v: 1,
    configPath: '/a.yaml',
    configText: 'mode: x',
    journalStart: 3,
  };
  const logOf = (records: Uint8Array[]): AppendLog => ({
    count: 0,
    append: (bytes) => void records.push(bytes),
    sync: () => Promise.resolve(),
    deferSyncMarker: () => () => undefined,
    read: () => records,
    close: () => Promise.resolve(),
  });

  it('the recorder writes a session that reads back unchanged', () => {
    const records: Uint8Array[] = [];
    const recorder = new Recorder(logOf(records), header);
    const events: EngineEvent[] = [
      event('a'),
      {
        kind: 'tickers',
        rows: [{ symbol: 'BTCUSDT', last: 60_000.1 }],
        venueTime: 5,
        monotonic: 6.25,
      },
    ];
    for (const each of events) recorder.write(each);
    expect(readSession(records)).toEqual({ header, events });
  });

  it('the reader refuses an empty record and one of another version', () => {
    expect(() => readSession([])).toThrow(RangeError);
    const bytes = new TextEncoder().encode(JSON.stringify({ ...header, v: 2 }));
    expect(() => readSession([bytes])).toThrow('a record of version 2; this version reads 1');
  });
});
