import type { JournalRecord } from '../journal/journal-record.js';

/** A flatten that a previous run began and did not end. */
export interface RecoveredFlatten {
  /** Id of its command, from which its exits have their client order ids. */
  readonly commandId: string;
  /** Its reason, as journaled. */
  readonly text: string;
}

/** The newest flatten that has not ended; a later flatten replaces an earlier one. */
export function recoverFlatten(records: readonly JournalRecord[]): RecoveredFlatten | undefined {
  const last = records.findLast((record) => record.type === 'flatten');
  if (last?.type !== 'flatten' || last.state !== 'wanted') return undefined;
  return { commandId: last.commandId, text: last.text };
}

/** The fewest records from which `recoverFlatten` returns the same. */
export const flattenRecords = (
  flatten: RecoveredFlatten | undefined,
  venueTime: number,
): readonly JournalRecord[] =>
  flatten === undefined ? [] : [{ type: 'flatten', venueTime, state: 'wanted', ...flatten }];
