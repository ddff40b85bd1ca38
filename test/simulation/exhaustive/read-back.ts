import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../../../src/execution/journal/journal-record.js';

const readBack = new Map<string, JournalRecord>();

/** A record as it is read back; the same one reads the same in every history. */
export function onDisk(record: JournalRecord): JournalRecord {
  const key = JSON.stringify(record);
  let read = readBack.get(key);
  if (read === undefined) {
    read = decodeJournalRecord(encodeJournalRecord(record));
    readBack.set(key, read);
  }
  return read;
}
