/**
 * Seeded 32-bit integer hashes: the sandbox's only source of randomness. `Math.imul` and shifts are
 * exact on every machine, so a seed gives the same market, ids and faults everywhere.
 */

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const TWO_TO_31 = 2_147_483_648;
const TWO_TO_32 = 4_294_967_296;

/** Mixes all bits of a 32-bit integer (the finalizer of MurmurHash3, public domain). */
export function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Hash of two integers, order-sensitive. Only the low 32 bits count. */
export const hashPair = (a: number, b: number): number =>
  mix(Math.imul(mix(a) ^ 0x9e3779b9, 0x01000193) ^ mix(b ^ 0x5bd1e995));

/** FNV-1a over the UTF-16 units, then mixed. */
export function hashText(text: string): number {
  let bits = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(index), FNV_PRIME);
  }
  return mix(bits);
}

/** −1 ≤ x < 1, exact. */
export const signedUnit = (hash: number): number => hash / TWO_TO_31 - 1;
/** 0 ≤ x < 1, exact. */
export const unit = (hash: number): number => hash / TWO_TO_32;

const hex = (value: number, digits: number): string =>
  (value >>> 0).toString(16).padStart(8, '0').slice(-digits);

/**
 * A stable UUID in the form of version 7, from a time and a key. The venue's ids are ordered by time
 * (supplement: ids).
 */
export function uuidOf(timeMs: number, key: number, counter: number): string {
  const stamp = timeMs.toString(16).padStart(12, '0').slice(-12);
  const a = hashPair(key, counter);
  const b = hashPair(a, counter ^ 0x27d4eb2f);
  // The last group holds all bits of the mixed counter: two counters never share an id.
  const tail = `${hex(b, 4)}${hex(mix(counter ^ key), 8)}`;
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${hex(a, 3)}-8${hex(a >>> 12, 3)}-${tail}`;
}
