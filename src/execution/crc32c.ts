/** Castagnoli's polynomial, reflected (RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  }
  return value;
});

/**
 * CRC-32C, unsigned.
 * @param previous result over the bytes before these, to go on from
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  let value = ~previous;
  for (const byte of bytes) {
    value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  }
  return ~value >>> 0;
}
