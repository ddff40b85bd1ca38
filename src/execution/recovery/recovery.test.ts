import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../journal/journal-record.js';
import { recoverAdopted } from './recovery.js';
import { recoverRestrictions } from './recovered-restrictions.js';

const mode = (
  to: 'TRADING' | 'HALTED' | 'REDUCE_ONLY',
  cause: string,
  symbol?: string,
): JournalRecord => ({
  type: 'mode',
  venueTime: 1,
  from: 'TRADING',
  to,
  cause,
  ...(symbol !== undefined && { symbol }),
});
const command = (
  record: Extract<JournalRecord, { type: 'command' }>['command'],
): JournalRecord => ({
  type: 'command',
  venueTime: 1,
  commandId: 'c',
  command: record,
});

describe('halted symbols', () => {
  it.each<{
    what: string;
    records: readonly JournalRecord[];
    halts: readonly (readonly [string, string])[];
  }>([
    { what: 'nothing', records: [], halts: [] },
    {
      what: 'two halts',
      records: [mode('HALTED', 'grew', 'BTCUSDT'), mode('REDUCE_ONLY', 'no price', 'ETHUSDT')],
      halts: [
        ['BTCUSDT', 'grew'],
        ['ETHUSDT', 'no price'],
      ],
    },
    {
      what: 'a halt that was lifted, and another that was not',
      records: [
        mode('HALTED', 'grew', 'BTCUSDT'),
        mode('HALTED', 'grew too', 'ETHUSDT'),
        mode('TRADING', 'a person', 'BTCUSDT'),
      ],
      halts: [['ETHUSDT', 'grew too']],
    },
    {
      what: 'a halt that came again for another cause',
      records: [mode('HALTED', 'grew', 'BTCUSDT'), mode('HALTED', 'shrank', 'BTCUSDT')],
      halts: [['BTCUSDT', 'shrank']],
    },
    {
      what: 'modes of the account, which are not of a symbol',
      records: [mode('HALTED', 'second writer'), mode('TRADING', 'reconciled')],
      halts: [],
    },
    {
      what: 'other records of the symbol',
      records: [
        mode('HALTED', 'grew', 'BTCUSDT'),
        { type: 'note', venueTime: 1, level: 'info', text: 'TRADING' },
      ],
      halts: [['BTCUSDT', 'grew']],
    },
  ])('the halts after $what', ({ records, halts }) => {
    const recovered = recoverRestrictions(records).map(({ symbol, cause }) => [symbol, cause]);
    expect(recovered).toEqual(halts);
  });
});

describe('adopted orders and symbols', () => {
  it('every adopted order and symbol is recovered, and no other command counts', () => {
    const records = [
      command({ kind: 'adopt', what: 'order-1' }),
      command({ kind: 'cancel', clientOrderId: 'order-2' }),
      command({ kind: 'adopt', what: 'BTCUSDT' }),
      mode('HALTED', 'grew', 'ETHUSDT'),
    ];
    expect([...recoverAdopted(records)]).toEqual(['order-1', 'BTCUSDT']);
  });
});
