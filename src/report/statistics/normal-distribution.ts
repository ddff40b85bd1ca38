/** The 95 % quantile of the standard normal distribution. */
export const NORMAL_QUANTILE_95 = 1.6448536269514722;

/**
 * Cumulative distribution of the standard normal distribution, by the continued fraction of the tail and the
 * power series of the middle (Abramowitz and Stegun, 26.2.14 and 26.2.11). The error is below 1e-14.
 */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) return NaN;
  const distance = Math.abs(z);
  if (distance > 38) return z > 0 ? 1 : 0;
  const density = Math.exp((-distance * distance) / 2) / Math.sqrt(2 * Math.PI);
  const tail = distance > 3 ? upperTail(distance, density) : 0.5 - middle(distance, density);
  return z > 0 ? 1 - tail : tail;
}

/** 1 − Φ(z) for z > 3. */
function upperTail(z: number, density: number): number {
  let fraction = z;
  for (let term = 100; term > 0; term -= 1) fraction = z + term / fraction;
  return density / fraction;
}

/** Φ(z) − 0.5 for 0 ≤ z ≤ 3. */
function middle(z: number, density: number): number {
  let term = z;
  let sum = z;
  for (let odd = 3; odd < 100; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return density * sum;
}
