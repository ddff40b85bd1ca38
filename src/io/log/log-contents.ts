import { LogCorruptError, type LogPaths } from './log-corrupt-error.js';
import { decodeBase, type LogBase } from './log-base.js';
import {
  firstBase,
  FRAME_HEADER_BYTES,
  GENESIS,
  sameBytes,
  isSameLogPosition,
  scanFrames,
  type LogPosition,
  type Scan,
} from './log-frame.js';
import type { LogHeadReading } from './log-head.js';

export { LogCorruptError, type LogPaths };

/** The torn end of a log. Its sync never resolved. */
export interface DroppedTail {
  readonly offset: number;
  readonly bytes: number;
  readonly reason: string;
}

/** The contents of the two files of a log. */
export interface LogContents {
  /** All records up to the sync marker, then the whole records beyond it. */
  readonly payloads: readonly Uint8Array[];
  /** Only of a compacted log. */
  readonly base: LogBase | undefined;
  /** The position of the sync marker, and the end of the last whole record. */
  readonly synced: LogPosition;
  readonly end: LogPosition;
  /** The frames between `synced` and `end`. */
  readonly unsynced: Uint8Array;
  readonly dropped: DroppedTail | undefined;
  /** The head still holds the marker from before the compaction of this log. */
  readonly headIsBehind: boolean;
}

/** @throws LogCorruptError when a durable record is missing or altered */
export function readContents(
  paths: LogPaths,
  log: Uint8Array,
  { head, damaged }: LogHeadReading,
): LogContents {
  if (head === undefined && log.length > 0) {
    // Without a sync marker the durable records are unknown.
    const reason = `it is missing or unreadable, and ${paths.log} has ${log.length} bytes`;
    throw new LogCorruptError({ path: paths.head, paths, reason });
  }
  const fresh = freshlyCompacted(log, head?.position);
  const acknowledged: SyncedState = { paths, position: fresh ?? head?.position ?? GENESIS };
  const found = readSynced(acknowledged, log);
  const synced = found.end;
  const tail = scanFrames(log, synced);
  const hasGrown = fresh !== undefined && !damaged && log.length > synced.bytes;
  if (tail.base !== undefined || hasGrown) {
    const reason = `it is not the log that ${paths.head} belongs to`;
    throw new LogCorruptError({ path: paths.log, ...acknowledged, reason });
  }
  if (damaged) refuseTornTail(tail, acknowledged);
  return {
    payloads: [...found.payloads, ...tail.payloads],
    base: found.base,
    synced,
    end: tail.end,
    unsynced: log.slice(synced.bytes, tail.end.bytes),
    dropped: tail.fault && {
      offset: tail.end.bytes,
      bytes: log.length - tail.end.bytes,
      reason: tail.fault.reason,
    },
    headIsBehind: fresh !== undefined,
  };
}

/**
 * Data is durable before its marker is written, so a crash never leaves a torn slot and a torn tail. Both
 * together mean that the newest marker is lost and the older slot is out of date.
 */
function refuseTornTail({ fault }: Scan, acknowledged: SyncedState): void {
  if (fault === undefined) return;
  const { paths } = acknowledged;
  const reason = `${fault.reason}, and a slot of ${paths.head} is unreadable`;
  throw new LogCorruptError({ path: paths.log, ...fault, ...acknowledged, reason });
}

/** The hash is unknown for a snapshot whose head was not written before the crash. */
interface SyncedState {
  readonly paths: LogPaths;
  readonly position: Pick<LogPosition, 'count' | 'bytes'> & { readonly hash?: Uint8Array };
}

/** The end of the snapshot, if the head still holds the marker of the replaced log. */
function freshlyCompacted(log: Uint8Array, synced: LogPosition | undefined) {
  const bytes = synced && firstBase(log);
  const base = bytes && decodeBase(bytes);
  return base && isSameLogPosition(base.replaces, synced) ? base.snapshot : undefined;
}

function readSynced({ paths, position }: SyncedState, log: Uint8Array) {
  const { payloads, base, end, fault } = scanFrames(log.subarray(0, position.bytes), GENESIS);
  if (fault !== undefined) {
    throw new LogCorruptError({ path: paths.log, ...fault, paths, position });
  }
  const place = { path: paths.log, paths, position, record: end.count + 1, offset: end.bytes };
  if (end.count !== position.count || end.bytes !== position.bytes) {
    const reason = `${position.count} records were durable, ${end.count} are there`;
    throw new LogCorruptError({ ...place, reason });
  }
  if (position.hash !== undefined && !sameBytes(end.hash, position.hash)) {
    const reason = 'the last durable record is not the one that the head names';
    const last = FRAME_HEADER_BYTES + (payloads.at(-1) ?? base ?? []).length;
    const offset = end.bytes - last;
    throw new LogCorruptError({ ...place, record: end.count, offset, reason });
  }
  const known = base && decodeBase(base);
  if (base !== undefined && known === undefined) {
    const reason = 'the base of the compacted log has an unknown form';
    throw new LogCorruptError({ ...place, record: 1, offset: 0, reason });
  }
  return { payloads, base: known, end };
}
