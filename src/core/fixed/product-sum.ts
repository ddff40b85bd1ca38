import {
  averagePrice,
  divideProduct,
  fitsEightPlaces,
  fixedFromProduct,
  multiplyExact,
  proportionOfProduct,
} from './fixed-arithmetic.js';
import { ONE_IN_UNITS, SCALE, unitsOf, type Fixed, type Price } from './fixed-point.js';
import { gainInWords, MAX_WORD, remainderOf, roundHalfEven } from './two-words.js';

/** 1e-8 and 1e-16 in units of 1e-36, the unit of an exact product. */
const HIGH_UNIT = 10n ** 28n;
const LOW_UNIT = 10n ** 20n;
const MAX_HIGH = BigInt(MAX_WORD);
/** Whole divisors up to it leave each step of a division exact. */
const MAX_DIVISOR = 1_000_000;

/**
 * An exact sum of products of two values, of either sign: the cost of a position, its collateral. Nearly every sum is
 * held in two doubles; one with more than 16 places or above 2^51 units of 1e-8 is a bigint of 1e-36.
 */
export class ProductSum {
  static readonly NONE = new ProductSum(0, 0);

  /** Units of 1e-8, rounded down; NaN where two words do not hold the sum. */
  readonly #high: number;
  /** The rest in units of 1e-16, from 0 to below 1e8. */
  readonly #low: number;
  #exact: bigint | undefined;

  private constructor(high: number, low: number, exact?: bigint) {
    this.#high = high;
    this.#low = low;
    this.#exact = exact;
  }

  /** a × b */
  static of(a: Fixed, b: Fixed): ProductSum {
    if (typeof a === 'number' && typeof b === 'number') {
      const high = Math.round((a * b) / SCALE);
      if (isWord(high)) return ProductSum.#ofWords(high, remainderOf(a, b, high, SCALE));
    }
    return ProductSum.ofExact(multiplyExact(a, b));
  }

  /** @param exact 1e-36 */
  static ofExact(exact: bigint): ProductSum {
    const rest = exact % HIGH_UNIT;
    const high = exact / HIGH_UNIT;
    if (rest % LOW_UNIT !== 0n || high >= MAX_HIGH || high <= -MAX_HIGH)
      return new ProductSum(NaN, NaN, exact);
    return ProductSum.#ofWords(Number(high), Number(rest / LOW_UNIT));
  }

  /** @param low within 2e8 of 0 */
  static #ofWords(high: number, low: number): ProductSum {
    let [whole, rest] = [high, low];
    while (rest < 0) {
      rest += SCALE;
      whole -= 1;
    }
    while (rest >= SCALE) {
      rest -= SCALE;
      whole += 1;
    }
    // + 0 turns −0 into 0.
    return new ProductSum(whole + 0, rest + 0);
  }

  /** 1e-36 */
  get exact(): bigint {
    return (this.#exact ??= BigInt(this.#high) * HIGH_UNIT + BigInt(this.#low) * LOW_UNIT);
  }

  get isZero(): boolean {
    return this.#high === 0 && this.#low === 0;
  }

  get isPositive(): boolean {
    if (Number.isNaN(this.#high)) return this.exact > 0n;
    return this.#high > 0 || (this.#high === 0 && this.#low > 0);
  }

  /** The nearest number of units of 1e-16, within 2^-52 of its size; NaN where two words do not hold it. */
  get approximate(): number {
    return this.#high * SCALE + this.#low;
  }

  plus(other: ProductSum): ProductSum {
    const high = this.#high + other.#high;
    if (isWord(high)) return ProductSum.#ofWords(high, this.#low + other.#low);
    return ProductSum.ofExact(this.exact + other.exact);
  }

  minus(other: ProductSum): ProductSum {
    const high = this.#high - other.#high;
    if (isWord(high)) return ProductSum.#ofWords(high, this.#low - other.#low);
    return ProductSum.ofExact(this.exact - other.exact);
  }

  /** Rounded as by `divideProduct`. @param divisor above 0 */
  dividedBy(divisor: Fixed): ProductSum {
    const whole = typeof divisor === 'number' ? divisor / SCALE : NaN;
    if (whole === 1) return this;
    if (Number.isInteger(whole) && whole <= MAX_DIVISOR && !Number.isNaN(this.#high)) {
      const high = Math.floor(this.#high / whole);
      const carried = (this.#high - high * whole) * SCALE + this.#low;
      const low = Math.floor(carried / whole);
      return ProductSum.#ofWords(high, roundHalfEven(low, carried - low * whole, whole));
    }
    return ProductSum.ofExact(divideProduct(this.exact, ONE_IN_UNITS, unitsOf(divisor)));
  }

  /** × part ÷ of, rounded as by `divideProduct`. */
  proportion(part: Fixed, of: Fixed): ProductSum {
    return ProductSum.ofExact(proportionOfProduct(this.exact, part, of));
  }

  /** The price at which `quantity` is worth the sum, rounded as by `averagePrice`. @param quantity above 0 */
  average(quantity: Fixed): Price {
    const value = this.approximate;
    if (typeof quantity === 'number' && quantity < MAX_WORD && value >= 0) {
      const guess = Math.round(value / quantity);
      if (isWord(guess)) {
        const rest = remainderOf(this.#high, SCALE, guess, quantity) + this.#low;
        const rounded = roundHalfEven(guess, rest, quantity) as Price;
        if (fitsEightPlaces(rounded)) return rounded;
      }
    }
    return averagePrice(this.exact, quantity);
  }

  /**
   * (price × quantity − sum) × sign, rounded half-even to 8 places: the gain of a position that cost the sum.
   */
  gain<Unit extends string>(price: Fixed, quantity: Fixed, sign: 1 | -1): Fixed<Unit> {
    if (typeof price === 'number' && typeof quantity === 'number') {
      const gain = gainInWords(price, quantity, this.#high, this.#low, sign);
      if (!Number.isNaN(gain)) return gain as Fixed<Unit>;
    }
    const gain = multiplyExact(price, quantity) - this.exact;
    return fixedFromProduct(sign === 1 ? gain : -gain);
  }
}

const isWord = (value: number): boolean => value < MAX_WORD && value > -MAX_WORD;
