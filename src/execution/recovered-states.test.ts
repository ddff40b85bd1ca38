import { describe, expect, it } from 'vitest';
import type { JournalRecord } from './journal-record.js';
import { recoverStates, stateRecords } from './recovered-states.js';

const state = (strategyId: string, key: string, value: string, version = 1): JournalRecord => ({
  type: 'state',
  venueTime: 1,
  strategyId,
  kept: { key, version, value },
});
const note: JournalRecord = { type: 'note', venueTime: 1, level: 'info', text: '' };

describe('what strategies kept', () => {
  const records = [
    state('a', 'x', '1'),
    state('b', 'x', '2'),
    note,
    state('a', 'y', '3'),
    state('a', 'x', '4', 2),
  ];

  it('is the last value of each key of each strategy', () => {
    const states = recoverStates(records);
    expect([...states.keys()]).toEqual(['a', 'b']);
    expect([...(states.get('a') ?? [])]).toEqual([
      ['x', { version: 2, value: '4' }],
      ['y', { version: 1, value: '3' }],
    ]);
    expect([...(states.get('b') ?? [])]).toEqual([['x', { version: 1, value: '2' }]]);
  });

  it('is said by one record for each', () => {
    const fewest = stateRecords(recoverStates(records), 7);
    expect(fewest).toEqual([
      { ...state('a', 'x', '4', 2), venueTime: 7 },
      { ...state('a', 'y', '3'), venueTime: 7 },
      { ...state('b', 'x', '2'), venueTime: 7 },
    ]);
    expect(recoverStates(fewest)).toEqual(recoverStates(records));
  });
});
