/** Castagnoli's polynomial, reflected (RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;
/** Bytes processed at once, each with its own table. */
const SLICE = 8;

/** Table n holds the effect of a byte on the sum when n more bytes follow it. */
const TABLES = tables();

function tables(): Uint32Array {
  const all = new Uint32Array(SLICE * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    }
    all[byte] = value;
  }
  for (let at = 256; at < all.length; at += 1) {
    const before = all[at - 256] ?? 0;
    all[at] = (all[before & 0xff] ?? 0) ^ (before >>> 8);
  }
  return all;
}

/**
 * CRC-32C, unsigned.
 * @param previous CRC of the bytes before these, to continue from
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  const { length } = bytes;
  let value = ~previous;
  let at = 0;
  for (; at + SLICE <= length; at += SLICE) {
    value ^= readUint32(bytes, at);
    value =
      table(7, value) ^
      table(6, value >>> 8) ^
      table(5, value >>> 16) ^
      table(4, value >>> 24) ^
      table(3, bytes[at + 4] ?? 0) ^
      table(2, bytes[at + 5] ?? 0) ^
      table(1, bytes[at + 6] ?? 0) ^
      table(0, bytes[at + 7] ?? 0);
  }
  for (; at < length; at += 1) value = table(0, value ^ (bytes[at] ?? 0)) ^ (value >>> 8);
  return ~value >>> 0;
}

/** Four bytes, little-endian. */
const readUint32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) |
  ((bytes[at + 1] ?? 0) << 8) |
  ((bytes[at + 2] ?? 0) << 16) |
  ((bytes[at + 3] ?? 0) << 24);

const table = (number: number, byte: number): number => TABLES[number * 256 + (byte & 0xff)] ?? 0;
