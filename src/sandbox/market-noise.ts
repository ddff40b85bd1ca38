import { mix, signedUnit } from './integer-hash.js';

export const keyed = (key: number, index: number): number =>
  mix(key ^ Math.imul(index, 0x9e3779b1));

/** Linear between hashed knots every `period`; in −1 … 1. */
export function valueNoise(key: number, at: number, period: number): number {
  const knot = Math.floor(at / period);
  const start = signedUnit(keyed(key, knot));
  const share = (at - knot * period) / period;
  if (share === 0) return start;
  return start + (signedUnit(keyed(key, knot + 1)) - start) * share;
}
