import { seededRandom } from '../../support/fakes/virtual-time.js';

/** What a walk draws, one after the other. */
export class Rng {
  readonly #random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** True so often, 0 to 1. */
  bool(share: number): boolean {
    return this.#random.next() < share;
  }

  /** A whole number, from ≤ n ≤ to. */
  between(from: number, to: number): number {
    return from + Math.floor(this.#random.next() * (to - from + 1));
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random.next() * values.length)];
    if (value === undefined) throw new RangeError('nothing to pick');
    return value;
  }
}
