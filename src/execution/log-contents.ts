import { GENESIS, sameBytes, scanFrames, type Position } from './log-frame.js';
import type { HeadReading } from './log-head.js';

export interface LogPaths {
  readonly log: string;
  readonly head: string;
}

/** The torn end of a log, never acknowledged to anybody. */
export interface DroppedTail {
  readonly offset: number;
  readonly bytes: number;
  readonly reason: string;
}

/** The log cannot be believed. Nothing was changed. */
export class LogCorruptError extends Error {
  override readonly name = 'LogCorruptError';
  readonly path: string;
  /** From 1, and where it begins; undefined where no record can be named. */
  readonly record: number | undefined;
  readonly offset: number | undefined;
  constructor(damage: Damage) {
    const where =
      damage.record === undefined ? '' : ` at record ${damage.record}, offset ${damage.offset}`;
    super(`${damage.path} is damaged${where}: ${damage.reason}. ${ADVICE}`);
    this.path = damage.path;
    this.record = damage.record;
    this.offset = damage.offset;
  }
}

interface Damage {
  readonly path: string;
  readonly record?: number;
  readonly offset?: number;
  readonly reason: string;
}

const ADVICE =
  'Restore the .log and .head files together from a backup; or check positions and open orders ' +
  'at the venue, then move both files away to begin with an empty log.';

/** What the two files hold. */
export interface LogContents {
  /** Everything promised, then the whole records beyond. */
  readonly payloads: readonly Uint8Array[];
  /** The end of the promise, and that of the last whole record. */
  readonly promised: Position;
  readonly end: Position;
  /** The frames between the two. */
  readonly unpromised: Uint8Array;
  readonly dropped: DroppedTail | undefined;
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
    throw new LogCorruptError({ path: paths.head, reason });
  }
  const promised = head?.position ?? GENESIS;
  const payloads = promisedPayloads(paths, log, promised);
  const tail = scanFrames(log, promised);
  if (tail.fault !== undefined && damaged) {
    // The data of a head's write is durable before it: a torn slot never goes with a torn tail. Both
    // together mean that a promise is lost which the older slot does not know of.
    const reason = `${tail.fault.reason}, and a slot of ${paths.head} is unreadable`;
    throw new LogCorruptError({ path: paths.log, ...tail.fault, reason });
  }
  return {
    payloads: [...payloads, ...tail.payloads],
    promised,
    end: tail.end,
    unpromised: log.slice(promised.bytes, tail.end.bytes),
    dropped: tail.fault && {
      offset: tail.end.bytes,
      bytes: log.length - tail.end.bytes,
      reason: tail.fault.reason,
    },
  };
}

function promisedPayloads(
  paths: LogPaths,
  log: Uint8Array,
  promised: Position,
): readonly Uint8Array[] {
  const { payloads, end, fault } = scanFrames(log.subarray(0, promised.bytes), GENESIS);
  if (fault !== undefined) throw new LogCorruptError({ path: paths.log, ...fault });
  const place = { path: paths.log, record: end.count + 1, offset: end.bytes };
  if (end.count !== promised.count || end.bytes !== promised.bytes) {
    const reason = `${promised.count} records were durable, ${end.count} are there`;
    throw new LogCorruptError({ ...place, reason });
  }
  if (!sameBytes(end.hash, promised.hash)) {
    const reason = 'the last durable record is not the one that the head names';
    throw new LogCorruptError({ ...place, record: end.count, reason });
  }
  return payloads;
}
