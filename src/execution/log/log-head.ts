import { crc32c } from './crc32c.js';
import { HASH_BYTES, type Position } from './log-frame.js';

/**
 * The head of a framed log: how far it is durable. Two slots, written in turn, so that a torn write
 * spoils the older promise only. A slot, little-endian:
 *
 *      0  u32  magic, "SLHD"
 *      4  u16  version, 1
 *      6  u16  0
 *      8  u64  generation: one more with each write; its parity is the slot's
 *     16  u64  records
 *     24  u64  bytes
 *     32  32   chain hash of the last record
 *     64  u32  CRC-32C of bytes 0–63
 */
const SLOT_BYTES = 68;
/** In sectors of their own, also on disks with 4 KiB ones. */
const SLOT_OFFSETS = [0, 4096] as const;
const MAGIC = 0x44484c53;
const VERSION = 1;

export interface Head {
  readonly generation: number;
  readonly position: Position;
}

export interface HeadReading {
  /** The newest promise that can be read. */
  readonly head: Head | undefined;
  /** A slot holds something unreadable: a torn write, or damage. */
  readonly damaged: boolean;
}

/** @param file undefined when there is none */
export function readHead(file: Uint8Array | undefined): HeadReading {
  const slots = SLOT_OFFSETS.map((offset, parity) => {
    const bytes = file?.subarray(offset, offset + SLOT_BYTES) ?? new Uint8Array();
    const head = readSlot(bytes);
    const inPlace = head !== undefined && head.generation % 2 === parity;
    return { written: bytes.some(Boolean), head: inPlace ? head : undefined };
  });
  const heads = slots.flatMap(({ head }) => (head === undefined ? [] : [head]));
  return {
    head: heads.sort((a, b) => b.generation - a.generation)[0],
    damaged: slots.some(({ written, head }) => written && head === undefined),
  };
}

export interface SlotWrite {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** What to write, and where, for this promise. */
export function slotOf(head: Head): SlotWrite {
  const bytes = new Uint8Array(SLOT_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, VERSION, true);
  view.setBigUint64(8, BigInt(head.generation), true);
  view.setBigUint64(16, BigInt(head.position.count), true);
  view.setBigUint64(24, BigInt(head.position.bytes), true);
  bytes.set(head.position.hash, 32);
  view.setUint32(64, crc32c(bytes.subarray(0, 64)), true);
  return { offset: SLOT_OFFSETS[head.generation % 2 === 0 ? 0 : 1], bytes };
}

function readSlot(bytes: Uint8Array): Head | undefined {
  if (bytes.length < SLOT_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sound =
    view.getUint32(0, true) === MAGIC &&
    view.getUint16(4, true) === VERSION &&
    view.getUint32(64, true) === crc32c(bytes.subarray(0, 64));
  if (!sound) return undefined;
  return {
    generation: Number(view.getBigUint64(8, true)),
    position: {
      count: Number(view.getBigUint64(16, true)),
      bytes: Number(view.getBigUint64(24, true)),
      hash: bytes.slice(32, 32 + HASH_BYTES),
    },
  };
}
