import { LogCorruptError, type LogPaths } from './log-corrupt-error.js';
import { decodeBase, type LogBase } from './log-base.js';
import {
  firstBase,
  FRAME_HEADER_BYTES,
  GENESIS,
  sameBytes,
  samePosition,
  scanFrames,
  type Position,
} from './log-frame.js';
import type { HeadReading } from './log-head.js';

export { LogCorruptError, type LogPaths };

/** The torn end of a log, never acknowledged to anybody. */
export interface DroppedTail {
  readonly offset: number;
  readonly bytes: number;
  readonly reason: string;
}

/** What the two files hold. */
export interface LogContents {
  /** Everything promised, then the whole records beyond. */
  readonly payloads: readonly Uint8Array[];
  /** Of a compacted log. */
  readonly base: LogBase | undefined;
  /** The end of the promise, and that of the last whole record. */
  readonly promised: Position;
  readonly end: Position;
  /** The frames between the two. */
  readonly unpromised: Uint8Array;
  readonly dropped: DroppedTail | undefined;
  /** The head does not yet know of the compaction that made this log. */
  readonly headIsBehind: boolean;
}

/** @throws LogCorruptError when what was promised durable is missing or altered */
export function readContents(
  paths: LogPaths,
  log: Uint8Array,
  { head, damaged }: HeadReading,
): LogContents {
  if (head === undefined && log.length > 0) {
    // Nobody can say which of its records were promised.
    const reason = `it is missing or unreadable, and ${paths.log} has ${log.length} bytes`;
    throw new LogCorruptError({ path: paths.head, paths, reason });
  }
  const fresh = freshlyCompacted(log, head?.position);
  const acknowledged: Acknowledged = { paths, position: fresh ?? head?.position ?? GENESIS };
  const found = readPromised(acknowledged, log);
  const promised = found.end;
  const tail = scanFrames(log, promised);
  if (tail.base !== undefined || (fresh !== undefined && !damaged && log.length > promised.bytes)) {
    const reason = `it is not the log that ${paths.head} belongs to`;
    throw new LogCorruptError({ path: paths.log, ...acknowledged, reason });
  }
  if (tail.fault !== undefined && damaged) {
    // The data of a head's write is durable before it: a torn slot never goes with a torn tail. Both
    // together mean that a promise is lost which the older slot does not know of.
    const reason = `${tail.fault.reason}, and a slot of ${paths.head} is unreadable`;
    throw new LogCorruptError({ path: paths.log, ...tail.fault, ...acknowledged, reason });
  }
  return {
    payloads: [...found.payloads, ...tail.payloads],
    base: found.base,
    promised,
    end: tail.end,
    unpromised: log.slice(promised.bytes, tail.end.bytes),
    dropped: tail.fault && {
      offset: tail.end.bytes,
      bytes: log.length - tail.end.bytes,
      reason: tail.fault.reason,
    },
    headIsBehind: fresh !== undefined,
  };
}

/** The hash is not known of a snapshot whose head was not written any more. */
interface Acknowledged {
  readonly paths: LogPaths;
  readonly position: Pick<Position, 'count' | 'bytes'> & { readonly hash?: Uint8Array };
}

/** The end of the snapshot, where the head still promises what it replaced. */
function freshlyCompacted(log: Uint8Array, promised: Position | undefined) {
  const bytes = promised && firstBase(log);
  const base = bytes && decodeBase(bytes);
  return base && samePosition(base.replaces, promised) ? base.snapshot : undefined;
}

function readPromised({ paths, position }: Acknowledged, log: Uint8Array) {
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
    const reason = 'it does not say in a known way what was compacted';
    throw new LogCorruptError({ ...place, record: 1, offset: 0, reason });
  }
  return { payloads, base: known, end };
}
