import { checkFinite, checkPeriod, type Indicator } from './indicator.js';

/**
 * Highest or lowest of the last `period` inputs, each in amortised constant time: a queue of the
 * inputs that may yet become the extreme, best first. Warm from the `period`-th input on.
 */
class RollingExtreme implements Indicator {
  readonly period: number;
  readonly #name: string;
  /** +1 looks for the highest, −1 for the lowest. */
  readonly #sign: number;
  /** Ring of candidates: their values times the sign, and the count at which they came. */
  readonly #candidates: Float64Array;
  readonly #cameAt: Float64Array;
  #head = 0;
  #size = 0;
  #count = 0;

  constructor(name: string, sign: 1 | -1, period: number) {
    checkPeriod(name, period);
    this.#name = name;
    this.#sign = sign;
    this.period = period;
    this.#candidates = new Float64Array(period);
    this.#cameAt = new Float64Array(period);
  }

  next(input: number): number | undefined {
    checkFinite(this.#name, input);
    const { period } = this;
    const signed = input * this.#sign;
    if (this.#size > 0 && (this.#cameAt[this.#head] as number) <= this.#count - period) {
      this.#head = this.#head + 1 === period ? 0 : this.#head + 1;
      this.#size--;
    }
    while (this.#size > 0 && (this.#candidates[this.#slot(this.#size - 1)] as number) <= signed) {
      this.#size--;
    }
    const slot = this.#slot(this.#size);
    this.#candidates[slot] = signed;
    this.#cameAt[slot] = this.#count;
    this.#size++;
    this.#count++;
    return this.value;
  }

  get value(): number | undefined {
    if (this.#count < this.period) return undefined;
    return (this.#candidates[this.#head] as number) * this.#sign;
  }

  #slot(place: number): number {
    const slot = this.#head + place;
    return slot >= this.period ? slot - this.period : slot;
  }
}

export class RollingHighest extends RollingExtreme {
  constructor(period: number) {
    super('highest', 1, period);
  }
}

export class RollingLowest extends RollingExtreme {
  constructor(period: number) {
    super('lowest', -1, period);
  }
}
