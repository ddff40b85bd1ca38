import { JOURNAL_VERSION } from './journal-schema.js';

type RawRecord = Readonly<Record<string, unknown>>;

/**
 * What brings a record of a version to the next one. Nothing is rewritten on the disk: an older
 * record is migrated each time it is read, until a compaction lets it go.
 *
 *   1 → 2: types were added (`past`, `position`, `rescue`); no field changed.
 */
const TO_NEXT: Readonly<Record<number, (raw: RawRecord) => RawRecord>> = {
  1: (raw) => ({ ...raw, v: 2 }),
};

export const versionOf = (raw: unknown): unknown => (isRecord(raw) ? raw['v'] : undefined);

/** The record as this version writes it, unchecked; undefined where its version is not known. */
export function migrated(raw: unknown): RawRecord | undefined {
  if (!isRecord(raw)) return undefined;
  let record = raw;
  while (record['v'] !== JOURNAL_VERSION) {
    const version = record['v'];
    const toNext = typeof version === 'number' ? TO_NEXT[version] : undefined;
    if (toNext === undefined) return undefined;
    record = toNext(record);
  }
  return record;
}

const isRecord = (raw: unknown): raw is RawRecord => typeof raw === 'object' && raw !== null;
