import { crc32c } from './crc32c.js';
import { HASH_BYTES, type LogPosition } from './log-frame.js';

/**
 * The head of a framed log: the sync marker up to which the log is durable. It has two slots, written
 * in turn, so that a torn write destroys only the older marker. A slot, little-endian:
 *
 *      0  u32  magic, "SLHD"
 *      4  u16  version, 1
 *      6  u16  0
 *      8  u64  generation: rises by 1 with each write; its parity selects the slot
 *     16  u64  records
 *     24  u64  bytes
 *     32  32   chain hash of the last record
 *     64  u32  CRC-32C of bytes 0–63
 */
const SLOT_BYTES = 68;
/** Each slot has its own sector, also on disks with sectors of 4 KiB. */
const SLOT_OFFSETS = [0, 4096] as const;
const MAGIC = 0x44484c53;
const VERSION = 1;

export interface LogHead {
  readonly generation: number;
  readonly position: LogPosition;
}

export interface LogHeadReading {
  /** The newest marker that can be read. */
  readonly head: LogHead | undefined;
  /** A slot holds something unreadable: a torn write, or damage. */
  readonly damaged: boolean;
}

/** @param file undefined when it does not exist */
export function readHead(file: Uint8Array | undefined): LogHeadReading {
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

/** The bytes of this head and the offset at which to write them. */
export function slotOf(head: LogHead): SlotWrite {
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

function readSlot(bytes: Uint8Array): LogHead | undefined {
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
