import type { Restriction } from '../../risk/restrictions.js';
import type { JournalRecord } from '../journal/journal-record.js';

type ModeRecord = Extract<JournalRecord, { readonly type: 'mode' }>;

/** Journals of versions before `control` halted single symbols by R22 alone. */
const isOfSymbolHalt = ({ control, symbol }: ModeRecord): boolean =>
  control === undefined && symbol !== undefined;

const isRestrictionRecord = (record: JournalRecord): record is ModeRecord =>
  record.type === 'mode' && (record.control !== undefined || isOfSymbolHalt(record));

const keyOf = ({ control, symbol }: ModeRecord): string => `${control ?? 'R22'} ${symbol ?? ''}`;

/** The newest record of each latched restriction in force when the journal ended, the oldest first. */
export function restrictionRecords(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const latched = new Map<string, ModeRecord>();
  for (const record of records) {
    if (!isRestrictionRecord(record)) continue;
    if (restrictionOfRecord(record) === undefined) latched.delete(keyOf(record));
    else latched.set(keyOf(record), record);
  }
  return [...latched.values()];
}

/** Restrictions that only a person ends. A self-clearing one does not survive: the start reconciles. */
export const recoverRestrictions = (records: readonly JournalRecord[]): readonly Restriction[] =>
  restrictionRecords(records).flatMap((record) => {
    const restriction = isRestrictionRecord(record) ? restrictionOfRecord(record) : undefined;
    return restriction === undefined ? [] : [restriction];
  });

function restrictionOfRecord(record: ModeRecord): Restriction | undefined {
  const { symbol, cause, control = 'R22', class: kind = 'latching' } = record;
  const to = record.restriction ?? record.to;
  if (kind === 'self-clearing') return undefined;
  if (to !== 'REDUCE_ONLY' && to !== 'CANCEL_ONLY' && to !== 'HALTED') return undefined;
  return {
    control,
    ...(symbol !== undefined && { symbol }),
    to,
    class: 'latching',
    cause,
  };
}
