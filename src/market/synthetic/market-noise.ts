import { mix, signedUnit } from '../../core/integer-hash.js';

export const keyedHash = (key: number, index: number): number =>
  mix(key ^ Math.imul(index, 0x9e3779b1));

/** Noise in −1 … 1: linear between hashed knots every `period`. */
export function valueNoise(key: number, at: number, period: number): number {
  const knot = Math.floor(at / period);
  const start = signedUnit(keyedHash(key, knot));
  const share = (at - knot * period) / period;
  if (share === 0) return start;
  return start + (signedUnit(keyedHash(key, knot + 1)) - start) * share;
}
