import type { Files } from '../../core/ports.js';
import { archiveName } from '../../io/log/log-compaction.js';
import { LogCorruptError } from '../../io/log/log-contents.js';
import { readFramedLog, type StoredLog } from '../../io/log/read-log.js';
import { firstRecordOf, JOURNAL, snapshotCountOf } from './journal-store.js';

/** One file of the journal's history. Records are counted from the journal's first. */
export interface JournalSegment {
  /** File name without its extension. */
  readonly name: string;
  /** Snapshot that replaced all records before its own; none in the oldest file. */
  readonly snapshot: readonly Uint8Array[];
  /** Number of its first own record, and one after its last. */
  readonly first: number;
  readonly end: number;
  readonly own: readonly Uint8Array[];
}

/**
 * Everything that is left of a journal, oldest first: its archives and the live log. The first segment starts
 * above 0 where a person removed archives. No daemon may write meanwhile: read a copy, or hold the state lock.
 *
 * @throws LogCorruptError when a file is damaged, or an archive does not match the next one
 */
export async function readJournalHistory(
  files: Pick<Files, 'read' | 'exists'>,
  directory: string,
): Promise<readonly JournalSegment[]> {
  const live = await readFramedLog(files, directory, JOURNAL);
  const segments = [segmentOf(JOURNAL, live)];
  let next = live;
  for (let number = live.base?.number ?? 0; number > 0; number -= 1) {
    const name = archiveName(JOURNAL, number);
    const path = `${directory}/${name}.log`;
    if (!(await files.exists(path))) break;
    const log = await readFramedLog(files, directory, name);
    if (log.payloads.length + (log.base === undefined ? 0 : 1) !== next.base?.replaces.count) {
      const reason = 'it is not the journal that the next one was made of';
      throw new LogCorruptError({ path, reason });
    }
    segments.unshift(segmentOf(name, log));
    next = log;
  }
  return segments;
}

/** The segment that holds the session which began with record `start`; undefined: it was removed. */
export const segmentAt = (
  segments: readonly JournalSegment[],
  start: number,
): JournalSegment | undefined => segments.findLast(({ first }) => first <= start);

function segmentOf(name: string, log: StoredLog): JournalSegment {
  const { payloads } = log;
  const snapshotCount = snapshotCountOf(log);
  const own = payloads.slice(snapshotCount);
  const first = firstRecordOf(log);
  const snapshot = payloads.slice(0, snapshotCount);
  return { name, snapshot, first, end: first + own.length, own };
}
