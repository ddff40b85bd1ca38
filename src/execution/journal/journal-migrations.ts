import { JOURNAL_VERSION } from './journal-schema.js';

type RawRecord = Readonly<Record<string, unknown>>;

/**
 * Migrations from each version to the next. Nothing is rewritten on disk: an older record is
 * migrated at each read, until a compaction drops it.
 *
 * - 1 → 2: types were added (`past`, `position`, `rescue`); no field changed.
 */
const TO_NEXT: Readonly<Record<number, (raw: RawRecord) => RawRecord>> = {
  1: (raw) => ({ ...raw, v: 2 }),
};

export const versionOf = (raw: unknown): unknown => (isRecord(raw) ? raw['v'] : undefined);

/** The record in the shape of this version, unchecked; undefined where its version is not known. */
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
