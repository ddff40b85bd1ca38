import type { JournalRecord } from '../journal/journal-record.js';

/** A flatten that an earlier life began and did not end. */
export interface RecoveredFlatten {
  /** The command that wanted it: its exits have their client order ids from it. */
  readonly commandId: string;
  /** Why, in a person's words. */
  readonly text: string;
}

/** The newest flatten that the journal wants and does not end. A later one takes the place of an earlier one. */
export function recoverFlatten(records: readonly JournalRecord[]): RecoveredFlatten | undefined {
  const last = records.findLast((record) => record.type === 'flatten');
  if (last?.type !== 'flatten' || last.state !== 'wanted') return undefined;
  return { commandId: last.commandId, text: last.text };
}

/** The fewest records that say the same. */
export const flattenRecords = (
  flatten: RecoveredFlatten | undefined,
  venueTime: number,
): readonly JournalRecord[] =>
  flatten === undefined ? [] : [{ type: 'flatten', venueTime, state: 'wanted', ...flatten }];
