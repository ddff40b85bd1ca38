/** Divides integers, rounding half-even. @param divisor above 0 */
export function divideHalfEven(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  const quotient = (dividend - remainder) / divisor;
  const twice = Math.abs(remainder) * 2;
  const up = twice > divisor || (twice === divisor && quotient % 2 !== 0);
  // + 0 turns −0 into 0.
  return (up ? quotient + Math.sign(remainder) : quotient) + 0;
}

/** Divides integers of any size and sign, rounding half-even. */
export function divideHalfEvenBig(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const remainder = dividend % divisor;
  if (remainder === 0n) return quotient;
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  const size = divisor < 0n ? -divisor : divisor;
  const up = twice > size || (twice === size && quotient % 2n !== 0n);
  return up ? quotient + (dividend < 0n === divisor < 0n ? 1n : -1n) : quotient;
}
