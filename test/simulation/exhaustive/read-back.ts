import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../../../src/execution/journal/journal-record.js';

const readBack = new Map<string, JournalRecord>();

/** The record after encoding and decoding, cached by content. */
export function roundTripRecord(record: JournalRecord): JournalRecord {
  const key = JSON.stringify(record);
  let read = readBack.get(key);
  if (read === undefined) {
    read = decodeJournalRecord(encodeJournalRecord(record));
    readBack.set(key, read);
  }
  return read;
}
