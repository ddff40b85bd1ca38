import type { JournalRecord } from '../journal/journal-record.js';

/**
 * Venue ms of the newest starts in a row that never reached TRADING, or a mode of exits alone that a person
 * or a control wanted. A requested stop is no failure. A compaction forgets them.
 */
export function recoverFailedStarts(records: readonly JournalRecord[]): readonly number[] {
  const failed: number[] = [];
  let startedAt: number | undefined;
  for (const record of records) {
    if (record.type === 'command' && record.command.kind === 'stop') startedAt = undefined;
    if (record.type !== 'mode' || record.symbol !== undefined) continue;
    if (record.from === 'STARTING') {
      if (startedAt !== undefined) failed.push(startedAt);
      startedAt = record.venueTime;
    }
    if (REACHED.has(record.to)) {
      failed.length = 0;
      startedAt = undefined;
    }
  }
  return startedAt === undefined ? failed : [...failed, startedAt];
}

const REACHED: ReadonlySet<string> = new Set(['TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY']);
