import { describe, expect, it } from 'vitest';
import { diskWithStored } from '../../../test/support/builders/stored-journal.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { decodeJournalRecord, encodeJournalRecord } from './journal-record.js';
import { JOURNAL_VERSION } from './journal-schema.js';
import { recover } from '../recovery/recovery.js';

const V1_TYPES = [
  'attempt',
  'burned',
  'command',
  'dropped',
  'header',
  'intent',
  'leverage',
  'mode',
  'note',
  'outcome',
  'update',
  'verdict',
];

async function payloadsOf(version: string, name: string): Promise<readonly Uint8Array[]> {
  return (await openFramedLog(diskWithStored(version, name), '/state', 'journal')).read();
}
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('journal of version 1', () => {
  it('the stored journal has every kind of record that version 1 wrote', async () => {
    const payloads = await payloadsOf('v1', 'every-record');
    const lines = payloads.map((bytes) => JSON.parse(textOf(bytes)) as { v: number; type: string });
    expect(new Set(lines.map(({ v }) => v))).toEqual(new Set([1]));
    expect([...new Set(lines.map(({ type }) => type))].sort()).toEqual(V1_TYPES);
  });

  it.each(['every-record', 'demo'])('(%s) is read as it was written', async (name) => {
    for (const bytes of await payloadsOf('v1', name)) {
      const now = textOf(encodeJournalRecord(decodeJournalRecord(bytes)));
      expect(now.replace(`{"v":${JOURNAL_VERSION},`, '{"v":1,')).toBe(textOf(bytes));
    }
  });

  it('the stored journal leads to the same orders as ever', async () => {
    const records = (await payloadsOf('v1', 'every-record')).map(decodeJournalRecord);
    const { orders, positions } = recover(records, 'golden');
    expect(orders.map(({ state }) => state)).toEqual([
      'filled',
      'canceled',
      'burned',
      'dropped',
      'rejected',
      'sent',
    ]);
    expect(positions).toEqual([{ symbol: 'BTCUSDT', currency: 'USDT', quantity: 400_000 }]);
  });
});

describe('record of another version', () => {
  it.each([0, JOURNAL_VERSION + 1, 1.5, '1', null])(
    'a record of version %j is refused with the readable versions',
    (v) => {
      const bytes = new TextEncoder().encode(JSON.stringify({ v, type: 'note' }));
      expect(() => decodeJournalRecord(bytes)).toThrow(
        `Journal record of version ${JSON.stringify(v)}; this version reads 1 to ${JOURNAL_VERSION}`,
      );
    },
  );
});
