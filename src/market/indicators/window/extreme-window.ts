/**
 * Highest of the last `period` numbers; NaN until there are `period`. By blocks (van Herk, Gil and
 * Werman): the larger of the highest of this block so far and the highest of the part of the previous
 * block that is still in the window. That takes three comparisons per number, for any input.
 */
export class HighestWindow {
  readonly #period: number;
  /** Up to `#at` the numbers of this block; then, at each row, the highest of the previous block from it on. */
  readonly #block: Float64Array;
  #best = -Infinity;
  #at = 0;

  constructor(period: number) {
    this.#period = period;
    this.#block = new Float64Array(period + 1).fill(NaN, 0, period);
    this.#block[period] = -Infinity;
  }

  push(input: number): number {
    const block = this.#block;
    const at = this.#at;
    const best = input > this.#best ? input : this.#best;
    const previousBest = block[at + 1] as number;
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#startNextBlock();
    } else {
      this.#best = best;
      this.#at = at + 1;
    }
    // In this order: a comparison with NaN is false, so NaN is returned until the window is full.
    return best > previousBest ? best : previousBest;
  }

  #startNextBlock(): void {
    const block = this.#block;
    let best = -Infinity;
    for (let at = this.#period - 1; at > 0; at--) {
      const one = block[at] as number;
      if (one > best) best = one;
      block[at] = best;
    }
    this.#best = -Infinity;
    this.#at = 0;
  }
}

/** Lowest of the last `period` numbers, by the method of HighestWindow. */
export class LowestWindow {
  readonly #period: number;
  readonly #block: Float64Array;
  #best = Infinity;
  #at = 0;

  constructor(period: number) {
    this.#period = period;
    this.#block = new Float64Array(period + 1).fill(NaN, 0, period);
    this.#block[period] = Infinity;
  }

  push(input: number): number {
    const block = this.#block;
    const at = this.#at;
    const best = input < this.#best ? input : this.#best;
    const previousBest = block[at + 1] as number;
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#startNextBlock();
    } else {
      this.#best = best;
      this.#at = at + 1;
    }
    return best < previousBest ? best : previousBest;
  }

  #startNextBlock(): void {
    const block = this.#block;
    let best = Infinity;
    for (let at = this.#period - 1; at > 0; at--) {
      const one = block[at] as number;
      if (one < best) best = one;
      block[at] = best;
    }
    this.#best = Infinity;
    this.#at = 0;
  }
}
