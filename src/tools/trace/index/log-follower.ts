import type { Files } from '../../../core/ports.js';
import { crc32c } from '../../../io/log/crc32c.js';
import { decodeBase, type LogBase } from '../../../io/log/log-base.js';
import { LogCorruptError, type LogPaths } from '../../../io/log/log-contents.js';
import {
  firstBase,
  FRAME_HEADER_BYTES,
  MAX_PAYLOAD_BYTES,
  sameBytes,
  scanFrames,
  type LogPosition,
} from '../../../io/log/log-frame.js';
import { readHead } from '../../../io/log/log-head.js';
import type { RangeReader, Ranges } from '../../../io/node/node-ranges.js';

/** Bytes read at once; a longer record is still read whole. */
const CHUNK_BYTES = 8 * 1024 * 1024;

export interface LogPorts {
  readonly files: Files;
  readonly ranges: Ranges;
}

export interface LoggedRecord {
  readonly payload: Uint8Array;
  /** Offset of its frame in the file. */
  readonly offset: number;
}

export interface Batch {
  readonly records: readonly LoggedRecord[];
  /** Set for the first batch of a compacted log. */
  readonly base?: LogBase;
  readonly end: LogPosition;
  /** Bytes up to the sync marker. */
  readonly syncedBytes: number;
}

/** The log was replaced since it was last read. */
export class LogReplacedError extends Error {
  override readonly name = 'LogReplacedError';
}

export const logPaths = (directory: string, name: string): LogPaths => ({
  log: `${directory}/${name}.log`,
  head: `${directory}/${name}.head`,
});

/** The durable end of a log. */
export interface SyncMarker {
  readonly count: number;
  readonly bytes: number;
  /** Hash of the last record. Absent for a compacted log, whose base proves it (log-base.ts). */
  readonly hash?: Uint8Array;
}

/** @returns undefined when there is no log. @throws LogCorruptError for a log without a head */
export async function syncMarkerOf(
  { files, ranges }: LogPorts,
  paths: LogPaths,
): Promise<SyncMarker | undefined> {
  const bytes = (await ranges.size(paths.log)) ?? 0;
  const { head } = readHead(await files.read(paths.head));
  if (head !== undefined) return (await snapshotOf(ranges, paths, head.position)) ?? head.position;
  if (bytes === 0) return undefined;
  const reason = `it is missing or unreadable, and ${paths.log} has ${bytes} bytes`;
  throw new LogCorruptError({ path: paths.head, reason });
}

/** An interrupted compaction leaves the old head beside the complete new log. */
async function snapshotOf(
  ranges: Ranges,
  paths: LogPaths,
  { count, hash }: LogPosition,
): Promise<SyncMarker | undefined> {
  if (count === 0) return undefined;
  const reader = await ranges.open(paths.log);
  try {
    const payload = firstBase(await reader.read(0, FIRST_READ_BYTES));
    const base = payload && decodeBase(payload);
    const isCutOff = base?.replaces.count === count && sameBytes(base.replaces.hash, hash);
    return isCutOff ? base.snapshot : undefined;
  } finally {
    await reader.close();
  }
}

/**
 * Yields the durable records of a log after `from`, in order. Another process may append meanwhile:
 * reads stop at the sync marker, and bytes before it never change.
 *
 * @throws LogReplacedError when `from` is not a position of this log
 * @throws LogCorruptError when a record before the sync marker is missing or altered
 */
export async function* follow(
  ports: LogPorts,
  paths: LogPaths,
  from: LogPosition,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Batch> {
  const synced = await syncMarkerOf(ports, paths);
  if (synced === undefined) return;
  const isUnchanged = synced.bytes === from.bytes && synced.count === from.count;
  if (synced.bytes < from.bytes || (isUnchanged && !matchesHash(synced, from.hash))) {
    throw new LogReplacedError(`${paths.log} is another log now`);
  }
  if (isUnchanged) return;
  const reader = await ports.ranges.open(paths.log);
  try {
    let at = from;
    while (at.bytes < synced.bytes) {
      const read = await readChunk(reader, at, { syncedBytes: synced.bytes, chunkBytes });
      if (read === undefined) throw damageError(paths, at, from);
      at = read.end;
      yield { ...read, syncedBytes: synced.bytes };
    }
    if (!matchesHash(synced, at.hash)) throw damageError(paths, at, from);
  } finally {
    await reader.close();
  }
}

export const matchesHash = ({ hash }: SyncMarker, of: Uint8Array): boolean =>
  hash === undefined || sameBytes(hash, of);

interface LogChunk {
  readonly records: readonly LoggedRecord[];
  readonly base?: LogBase;
  readonly end: LogPosition;
}

/** Reads as many whole records as fit, at least one; undefined when the next one is incomplete. */
async function readChunk(
  reader: RangeReader,
  at: LogPosition,
  { syncedBytes, chunkBytes }: { readonly syncedBytes: number; readonly chunkBytes: number },
): Promise<LogChunk | undefined> {
  const left = syncedBytes - at.bytes;
  for (const most of [chunkBytes, FRAME_HEADER_BYTES + MAX_PAYLOAD_BYTES]) {
    const bytes = await reader.read(at.bytes, Math.min(most, left));
    const scan = scanFrames(bytes, { ...at, bytes: 0 });
    if (scan.end.bytes === 0) continue;
    const records = scan.payloads.map((payload) => ({
      payload,
      offset: at.bytes + payload.byteOffset - bytes.byteOffset - FRAME_HEADER_BYTES,
    }));
    const base = scan.base && decodeBase(scan.base);
    const end = { ...scan.end, bytes: at.bytes + scan.end.bytes };
    return { records, ...(base !== undefined && { base }), end };
  }
  return undefined;
}

function damageError(paths: LogPaths, at: LogPosition, from: LogPosition): Error {
  if (at.bytes === from.bytes && from.bytes > 0) {
    return new LogReplacedError(`${paths.log} does not continue where it ended`);
  }
  return new LogCorruptError({
    path: paths.log,
    record: at.count + 1,
    offset: at.bytes,
    reason: 'a record that was durable is missing or altered',
  });
}

/** The payload of the frame at `offset`. @throws LogCorruptError when its checksum does not match */
export async function readRecordAt(
  reader: RangeReader,
  path: string,
  offset: number,
): Promise<Uint8Array> {
  const first = await reader.read(offset, FIRST_READ_BYTES);
  const length = first.length < FRAME_HEADER_BYTES ? 0 : lengthOf(first);
  const whole = FRAME_HEADER_BYTES + length;
  const frame =
    whole <= first.length || length > MAX_PAYLOAD_BYTES
      ? first.subarray(0, whole)
      : await reader.read(offset, whole);
  const isIntact = frame.length === whole && frame.length > 4 && checksumOf(frame) === crcOf(frame);
  if (isIntact) return frame.subarray(FRAME_HEADER_BYTES);
  throw new LogCorruptError({ path, offset, reason: 'a record is missing or altered' });
}

const FIRST_READ_BYTES = 4_096;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const lengthOf = (frame: Uint8Array): number => viewOf(frame).getUint32(0, true);
const checksumOf = (frame: Uint8Array): number => viewOf(frame).getUint32(4, true);
const crcOf = (frame: Uint8Array): number =>
  crc32c(frame.subarray(8), crc32c(frame.subarray(0, 4)));
