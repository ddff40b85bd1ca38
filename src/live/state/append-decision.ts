import type { Files, ProcessFacts } from '../../core/ports.js';
import { encodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import { acquireStateLock } from '../../io/log/state-lock.js';
import { JournalStore } from './journal-store.js';

export interface DecisionPorts {
  readonly files: Files;
  readonly facts: ProcessFacts;
}

/**
 * Appends a person's decision to a journal that no process has open. Durable when it resolves.
 * @param decide the records that follow from those of the journal; it throws where there are none
 * @throws StateHeldError while a process holds the folder, LogCorruptError, LogWriteError
 */
export async function appendDecision(
  directory: string,
  { files, facts }: DecisionPorts,
  decide: (records: readonly JournalRecord[]) => readonly JournalRecord[],
): Promise<void> {
  const lock = await acquireStateLock(files, directory, facts);
  try {
    const { log, records } = await new JournalStore({ files, directory, account: '' }).open();
    try {
      for (const record of decide(records)) log.append(encodeJournalRecord(record));
      await log.sync();
    } finally {
      await log.close();
    }
  } finally {
    await lock.release();
  }
}
