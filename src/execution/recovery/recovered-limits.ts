import type { LimitChange } from '../../risk/catalog/limit-changes.js';
import type { JournalRecord } from '../journal/journal-record.js';

/** Limits that a person tightened at run time and has not loosened since, the oldest change first. */
export function recoverLimitChanges(records: readonly JournalRecord[]): readonly LimitChange[] {
  let changes: LimitChange[] = [];
  for (const record of records) {
    if (record.type !== 'command') continue;
    const { command } = record;
    if (command.kind === 'loosen') changes = [];
    if (command.kind !== 'tighten') continue;
    for (const [key, value] of Object.entries(command.limits))
      changes.push({ key, value, reason: command.reason });
  }
  return changes;
}
