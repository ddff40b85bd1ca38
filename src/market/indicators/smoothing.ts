/**
 * input × weight + value × (1 − weight) with weight 2 / (period + 1), seeded with the mean of the first
 * `period` numbers; NaN before. What it remembers of a rounding error fades, so it does not drift.
 */
export class ExponentialSmoothing {
  readonly #weight: number;
  readonly #rest: number;
  #missing: number;
  #value = NaN;
  #sum = 0;
  readonly #period: number;

  constructor(period: number) {
    this.#period = period;
    this.#missing = period;
    this.#weight = 2 / (period + 1);
    this.#rest = 1 - this.#weight;
  }

  push(input: number): number {
    if (this.#missing === 0) {
      const value = input * this.#weight + this.#value * this.#rest;
      this.#value = value;
      return value;
    }
    this.#sum += input;
    this.#missing--;
    if (this.#missing === 0) this.#value = this.#sum / this.#period;
    return this.#value;
  }
}

/** Wilder's: value = (value × (period − 1) + input) / period, seeded with the mean; NaN before. */
export class WilderSmoothing {
  readonly #period: number;
  #missing: number;
  #value = NaN;
  #sum = 0;

  constructor(period: number) {
    this.#period = period;
    this.#missing = period;
  }

  push(input: number): number {
    if (this.#missing === 0) {
      const value = (this.#value * (this.#period - 1) + input) / this.#period;
      this.#value = value;
      return value;
    }
    this.#sum += input;
    this.#missing--;
    if (this.#missing === 0) this.#value = this.#sum / this.#period;
    return this.#value;
  }
}
