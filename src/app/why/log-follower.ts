import type { Files } from '../../core/ports.js';
import { crc32c } from '../../execution/log/crc32c.js';
import { decodeBase, type LogBase } from '../../execution/log/log-base.js';
import { LogCorruptError, type LogPaths } from '../../execution/log/log-contents.js';
import {
  firstBase,
  FRAME_HEADER_BYTES,
  MAX_PAYLOAD_BYTES,
  sameBytes,
  scanFrames,
  type Position,
} from '../../execution/log/log-frame.js';
import { readHead } from '../../execution/log/log-head.js';
import type { RangeReader, Ranges } from '../ports/node-ranges.js';

/** How much is held at once; a longer record is read whole nevertheless. */
const CHUNK_BYTES = 8 * 1024 * 1024;

export interface LogPorts {
  readonly files: Files;
  readonly ranges: Ranges;
}

export interface SeenRecord {
  readonly payload: Uint8Array;
  /** Of its frame in the file. */
  readonly offset: number;
}

export interface Batch {
  readonly records: readonly SeenRecord[];
  /** Where the batch begins a compacted log. */
  readonly base?: LogBase;
  readonly end: Position;
  /** Bytes that are promised by now. */
  readonly promisedBytes: number;
}

/** The log is not the one that was read before: it was replaced since. */
export class LogReplacedError extends Error {
  override readonly name = 'LogReplacedError';
}

export const logPaths = (directory: string, name: string): LogPaths => ({
  log: `${directory}/${name}.log`,
  head: `${directory}/${name}.head`,
});

/** How far a log is durable. */
export interface Promised {
  readonly count: number;
  readonly bytes: number;
  /** Of the last record; absent where the log vouches for itself (log-base.ts). */
  readonly hash?: Uint8Array;
}

/** undefined where there is no log. @throws LogCorruptError without a head */
export async function promiseOf(
  { files, ranges }: LogPorts,
  paths: LogPaths,
): Promise<Promised | undefined> {
  const bytes = (await ranges.size(paths.log)) ?? 0;
  const { head } = readHead(await files.read(paths.head));
  if (head !== undefined) return (await snapshotOf(ranges, paths, head.position)) ?? head.position;
  if (bytes === 0) return undefined;
  const reason = `it is missing or unreadable, and ${paths.log} has ${bytes} bytes`;
  throw new LogCorruptError({ path: paths.head, reason });
}

/** A compaction that was cut off leaves the head of what it replaced beside a whole new log. */
async function snapshotOf(
  ranges: Ranges,
  paths: LogPaths,
  { count, hash }: Position,
): Promise<Promised | undefined> {
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
 * The durable records of a log after `from`, in order, while another process may append to it: only
 * what its head promises is read, and nothing of that can change any more.
 *
 * @throws LogReplacedError when `from` is not a place of this log
 * @throws LogCorruptError when a promised record is missing or altered
 */
export async function* follow(
  ports: LogPorts,
  paths: LogPaths,
  from: Position,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Batch> {
  const promised = await promiseOf(ports, paths);
  if (promised === undefined) return;
  const standsStill = promised.bytes === from.bytes && promised.count === from.count;
  if (promised.bytes < from.bytes || (standsStill && !isHash(promised, from.hash))) {
    throw new LogReplacedError(`${paths.log} is another log now`);
  }
  if (standsStill) return;
  const reader = await ports.ranges.open(paths.log);
  try {
    let at = from;
    while (at.bytes < promised.bytes) {
      const read = await chunk(reader, at, { promisedBytes: promised.bytes, chunkBytes });
      if (read === undefined) throw damaged(paths, at, from);
      at = read.end;
      yield { ...read, promisedBytes: promised.bytes };
    }
    if (!isHash(promised, at.hash)) throw damaged(paths, at, from);
  } finally {
    await reader.close();
  }
}

export const isHash = ({ hash }: Promised, of: Uint8Array): boolean =>
  hash === undefined || sameBytes(hash, of);

interface Read {
  readonly records: readonly SeenRecord[];
  readonly base?: LogBase;
  readonly end: Position;
}

/** As many whole records as fit, at least one; undefined when the next one is not whole. */
async function chunk(
  reader: RangeReader,
  at: Position,
  { promisedBytes, chunkBytes }: { readonly promisedBytes: number; readonly chunkBytes: number },
): Promise<Read | undefined> {
  const left = promisedBytes - at.bytes;
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

function damaged(paths: LogPaths, at: Position, from: Position): Error {
  if (at.bytes === from.bytes && from.bytes > 0) {
    return new LogReplacedError(`${paths.log} does not go on where it ended`);
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
  const sound = frame.length === whole && frame.length > 4 && checksumOf(frame) === crcOf(frame);
  if (sound) return frame.subarray(FRAME_HEADER_BYTES);
  throw new LogCorruptError({ path, offset, reason: 'a record is missing or altered' });
}

const FIRST_READ_BYTES = 4_096;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const lengthOf = (frame: Uint8Array): number => viewOf(frame).getUint32(0, true);
const checksumOf = (frame: Uint8Array): number => viewOf(frame).getUint32(4, true);
const crcOf = (frame: Uint8Array): number =>
  crc32c(frame.subarray(8), crc32c(frame.subarray(0, 4)));
