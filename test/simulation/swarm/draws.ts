import { hashPair, hashText, mix, unit } from '../../../src/core/integer-hash.js';

/**
 * What a seed decides, each decision by its own name: leaving one out, or adding one, changes none of
 * the others. A seed that is shrunk stays the same seed.
 */
export class Draws {
  readonly #key: number;

  constructor(seed: number, name = '') {
    this.#key = hashPair(mix(seed), hashText(name));
  }

  /** Decisions about one thing. */
  of(name: string): Draws {
    return new Draws(this.#key, name);
  }

  /** 0 ≤ x < 1. */
  unit(name: string, index = 0): number {
    return unit(hashPair(hashPair(this.#key, hashText(name)), index));
  }

  chance(probability: number, name: string, index = 0): boolean {
    return this.unit(name, index) < probability;
  }

  /** A whole number, from ≤ n ≤ to. */
  between(from: number, to: number, name: string, index = 0): number {
    return from + Math.floor(this.unit(name, index) * (to - from + 1));
  }

  pick<T>(values: readonly T[], name: string, index = 0): T {
    const value = values[Math.floor(this.unit(name, index) * values.length)];
    if (value === undefined) throw new RangeError(`nothing to pick for ${name}`);
    return value;
  }
}
