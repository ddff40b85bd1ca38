import { hash as digest } from 'node:crypto';
import { assert } from '../../core/assert.js';
import { crc32c } from './crc32c.js';

/**
 * One record of a framed log, little-endian:
 *
 *      0  u32  payload length
 *      4  u32  CRC-32C of everything else: bytes 0–3, 8–51 and the payload
 *      8  u64  sequence, from 1
 *     16  u16  version: 1 a record; 2 the base of a compacted log, first frame only (log-base.ts)
 *     18  u16  0
 *     20  32   chain hash: SHA-256 of the previous record's hash (32 × 0 at the start) and the payload
 *     52  …    payload
 */
export const FRAME_HEADER_BYTES = 52;
/** A longer length field means damage. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
export const HASH_BYTES = 32;
const RECORD = 1;
const BASE = 2;

/** The end of a record: the number of records up to it, their bytes, and the hash of the last one. */
export interface LogPosition {
  readonly count: number;
  readonly bytes: number;
  readonly hash: Uint8Array;
}

export const GENESIS: LogPosition = { count: 0, bytes: 0, hash: new Uint8Array(HASH_BYTES) };

export interface Frame {
  readonly bytes: Uint8Array;
  readonly end: LogPosition;
}

/** The frame of the record that follows `previous`. */
export const encodeFrame = (payload: Uint8Array, previous: LogPosition): Frame =>
  encode(RECORD, payload, previous);

/** The first frame of a compacted log (log-base.ts). */
export const encodeBaseFrame = (payload: Uint8Array): Frame => encode(BASE, payload, GENESIS);

function encode(version: number, payload: Uint8Array, previous: LogPosition): Frame {
  assert(payload.length <= MAX_PAYLOAD_BYTES, 'A record is no longer than a frame can hold');
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  const count = previous.count + 1;
  const hash = chained(previous.hash, payload);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length, true);
  view.setBigUint64(8, BigInt(count), true);
  view.setUint16(16, version, true);
  bytes.set(hash, 20);
  bytes.set(payload, FRAME_HEADER_BYTES);
  view.setUint32(4, frameCrc(bytes), true);
  return { bytes, end: { count, bytes: previous.bytes + bytes.length, hash } };
}

export interface FrameFault {
  /** Number of the unreadable record, from 1, and the offset at which it should begin. */
  readonly record: number;
  readonly offset: number;
  readonly reason: string;
}

export interface Scan {
  /** Views into the scanned bytes. */
  readonly payloads: readonly Uint8Array[];
  /** Payload of the base frame, if the scan found one. It is not a record. */
  readonly base: Uint8Array | undefined;
  /** Position after the last whole record. */
  readonly end: LogPosition;
  /** The reason why the scan stopped before the end of the bytes. */
  readonly fault: FrameFault | undefined;
}

/** Reads records from `start` up to the first that is not whole. */
export function scanFrames(file: Uint8Array, start: LogPosition): Scan {
  const payloads: Uint8Array[] = [];
  let base: Uint8Array | undefined;
  let end = start;
  const view = viewOf(file);
  while (end.bytes < file.length) {
    const read = readFrame(file, view, end);
    if (typeof read === 'string') {
      const fault = { record: end.count + 1, offset: end.bytes, reason: read };
      return { payloads, base, end, fault };
    }
    if (read.version === BASE) base = read.payload;
    else payloads.push(read.payload);
    end = read.end;
  }
  return { payloads, base, end, fault: undefined };
}

/** Payload of the base frame at the start of a log; undefined if the first frame is another. */
export function firstBase(file: Uint8Array): Uint8Array | undefined {
  const first = readFrame(file, viewOf(file), GENESIS);
  return typeof first !== 'string' && first.version === BASE ? first.payload : undefined;
}

interface ReadFrame {
  readonly version: number;
  readonly payload: Uint8Array;
  readonly end: LogPosition;
}

/** The frame after `previous`, or the reason why it cannot be read. */
function readFrame(file: Uint8Array, view: DataView, previous: LogPosition): ReadFrame | string {
  const start = previous.bytes;
  const left = file.length - start;
  if (left < FRAME_HEADER_BYTES) return `its header ends after ${left} bytes`;
  const length = view.getUint32(start, true);
  if (length > MAX_PAYLOAD_BYTES) return `its length ${length} is impossible`;
  const size = FRAME_HEADER_BYTES + length;
  if (left < size) return `it ends after ${left} of ${size} bytes`;
  const bytes = file.subarray(start, start + size);
  if (view.getUint32(start + 4, true) !== frameCrc(bytes)) return 'its checksum does not match';
  const count = previous.count + 1;
  const high = view.getUint32(start + 12, true);
  if (view.getUint32(start + 8, true) + high * 2 ** 32 !== count) {
    return 'its sequence number is not the next';
  }
  const version = view.getUint16(start + 16, true);
  if (version !== RECORD && !(version === BASE && count === 1)) return 'its version is not known';
  if (view.getUint16(start + 18, true) !== 0) return 'its reserved field is not 0';
  const payload = file.subarray(start + FRAME_HEADER_BYTES, start + size);
  const hash = chained(previous.hash, payload);
  if (!sameBytes(hash, bytes.subarray(20, FRAME_HEADER_BYTES))) return 'its chain hash is not ours';
  return { version, payload, end: { count, bytes: start + size, hash } };
}

const viewOf = (file: Uint8Array): DataView =>
  new DataView(file.buffer, file.byteOffset, file.byteLength);

const frameCrc = (frame: Uint8Array): number =>
  crc32c(frame.subarray(8), crc32c(frame.subarray(0, 4)));

/** Buffer for hash and payload in one piece: one digest call is faster than two updates. */
let scratch = new Uint8Array(4_096);

function chained(previous: Uint8Array, payload: Uint8Array): Uint8Array {
  const length = HASH_BYTES + payload.length;
  if (scratch.length < length) scratch = new Uint8Array(2 * length);
  scratch.set(previous);
  scratch.set(payload, HASH_BYTES);
  return digest('sha256', scratch.subarray(0, length), 'buffer');
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

export const isSameLogPosition = (a: LogPosition, b: LogPosition): boolean =>
  a.count === b.count && a.bytes === b.bytes && sameBytes(a.hash, b.hash);
