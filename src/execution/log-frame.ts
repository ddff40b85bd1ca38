import { createHash } from 'node:crypto';
import { assert } from '../core/assert.js';
import { crc32c } from './crc32c.js';

/**
 * One record of a framed log, little-endian:
 *
 *      0  u32  payload length
 *      4  u32  CRC-32C of everything else: bytes 0–3, 8–51 and the payload
 *      8  u64  sequence, from 1
 *     16  u16  version, 1
 *     18  u16  0
 *     20  32   chain hash: SHA-256 of the previous record's hash (32 × 0 at the start) and the payload
 *     52  …    payload
 */
export const FRAME_HEADER_BYTES = 52;
/** A length beyond it is damage, not a record. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
export const HASH_BYTES = 32;
const VERSION = 1;

/** Where a record ends: how many there are up to here, their bytes, and the last one's hash. */
export interface Position {
  readonly count: number;
  readonly bytes: number;
  readonly hash: Uint8Array;
}

export const GENESIS: Position = { count: 0, bytes: 0, hash: new Uint8Array(HASH_BYTES) };

export interface Frame {
  readonly bytes: Uint8Array;
  readonly end: Position;
}

/** The record that follows `previous`. */
export function encodeFrame(payload: Uint8Array, previous: Position): Frame {
  assert(payload.length <= MAX_PAYLOAD_BYTES, 'A record is no longer than a frame can hold');
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  const count = previous.count + 1;
  const hash = chained(previous.hash, payload);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length, true);
  view.setBigUint64(8, BigInt(count), true);
  view.setUint16(16, VERSION, true);
  bytes.set(hash, 20);
  bytes.set(payload, FRAME_HEADER_BYTES);
  view.setUint32(4, frameCrc(bytes), true);
  return { bytes, end: { count, bytes: previous.bytes + bytes.length, hash } };
}

export interface FrameFault {
  /** Number of the record that cannot be read, from 1, and the offset where it should begin. */
  readonly record: number;
  readonly offset: number;
  readonly reason: string;
}

export interface Scan {
  /** Views into the scanned bytes. */
  readonly payloads: readonly Uint8Array[];
  /** After the last whole record. */
  readonly end: Position;
  /** Why it is not the end of the bytes. */
  readonly fault: FrameFault | undefined;
}

/** Reads records from `start` up to the first that is not whole. */
export function scanFrames(file: Uint8Array, start: Position): Scan {
  const payloads: Uint8Array[] = [];
  let end = start;
  while (end.bytes < file.length) {
    const read = readFrame(file, end);
    if (typeof read === 'string') {
      const fault = { record: end.count + 1, offset: end.bytes, reason: read };
      return { payloads, end, fault };
    }
    payloads.push(read.payload);
    end = read.end;
  }
  return { payloads, end, fault: undefined };
}

/** The record at the end of `previous`, or why there is none. */
function readFrame(
  file: Uint8Array,
  previous: Position,
): { readonly payload: Uint8Array; readonly end: Position } | string {
  const rest = file.subarray(previous.bytes);
  if (rest.length < FRAME_HEADER_BYTES) return `its header ends after ${rest.length} bytes`;
  const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
  const length = view.getUint32(0, true);
  if (length > MAX_PAYLOAD_BYTES) return `its length ${length} is impossible`;
  const bytes = rest.subarray(0, FRAME_HEADER_BYTES + length);
  if (bytes.length < FRAME_HEADER_BYTES + length) {
    return `it ends after ${bytes.length} of ${FRAME_HEADER_BYTES + length} bytes`;
  }
  if (view.getUint32(4, true) !== frameCrc(bytes)) return 'its checksum does not match';
  const count = previous.count + 1;
  if (view.getBigUint64(8, true) !== BigInt(count)) return 'its sequence number is not the next';
  if (view.getUint16(16, true) !== VERSION) return 'its version is not known';
  if (view.getUint16(18, true) !== 0) return 'its reserved field is not 0';
  const payload = bytes.subarray(FRAME_HEADER_BYTES);
  const hash = chained(previous.hash, payload);
  if (!sameBytes(hash, bytes.subarray(20, FRAME_HEADER_BYTES))) return 'its chain hash is not ours';
  return { payload, end: { count, bytes: previous.bytes + bytes.length, hash } };
}

const frameCrc = (frame: Uint8Array): number =>
  crc32c(frame.subarray(8), crc32c(frame.subarray(0, 4)));

const chained = (previous: Uint8Array, payload: Uint8Array): Uint8Array =>
  createHash('sha256').update(previous).update(payload).digest();

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
