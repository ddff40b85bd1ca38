import {
  divideHalfEvenBig,
  fixedFromScaled,
  multiplyDivide,
  multiplyExact,
  type Amount,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';

/** 1e-16, the unit of a product of two values of 8 places, in units of an exact product. */
const LOW_UNIT = 10n ** 20n;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A constant share of traded values, such as a fee rate: price × quantity × numerator ÷ divisor, rounded
 * half-even to 1e-8. Where its terms are safe integers in lowest terms, a share of a value takes no bigint.
 */
export class ValueShare {
  readonly #numerator: bigint;
  readonly #divisor: bigint;
  /** The same for a value in 1e-16, in lowest terms; NaN where they are no safe integers. */
  readonly #low: number;
  readonly #lowDivisor: number;

  /** @param divisor above 0; `numerator` ÷ `divisor` turns a value of 1e-36 into an amount of 1e-8 */
  constructor(numerator: bigint, divisor: bigint) {
    this.#numerator = numerator;
    this.#divisor = divisor;
    const scaled = numerator * LOW_UNIT;
    const common = greatestDivisor(scaled, divisor);
    this.#low = safeNumber(scaled / common);
    this.#lowDivisor = safeNumber(divisor / common);
  }

  of(price: Price, quantity: Quantity): Amount {
    if (typeof price === 'number' && typeof quantity === 'number') {
      const factor = quantity * this.#low;
      const amount = Number.isSafeInteger(factor)
        ? multiplyDivide(price, factor, this.#lowDivisor)
        : NaN;
      if (!Number.isNaN(amount)) return amount as Amount;
    }
    return this.ofValue(multiplyExact(price, quantity));
  }

  /** @param value 1e-36 USDT */
  ofValue(value: bigint): Amount {
    return fixedFromScaled(divideHalfEvenBig(value * this.#numerator, this.#divisor));
  }
}

const safeNumber = (value: bigint): number =>
  value <= MAX_SAFE && value >= -MAX_SAFE ? Number(value) : NaN;

/** @param b above 0 */
function greatestDivisor(a: bigint, b: bigint): bigint {
  let [low, high] = [a < 0n ? -a : a, b];
  while (low !== 0n) [low, high] = [high % low, low];
  return high;
}
