/**
 * Highest of the last `period` numbers; NaN before there are so many. In blocks (van Herk, Gil and
 * Werman): the highest of this block so far, or of what the window still holds of the one before. That
 * is three comparisons a number, whatever the market does.
 */
export class HighestWindow {
  readonly #period: number;
  /** Up to `#at` the numbers of this block, then the highest of the rest of the one before. */
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
    const rest = block[at + 1] as number;
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#turn();
    } else {
      this.#best = best;
      this.#at = at + 1;
    }
    // Not the other way round: NaN, for not yet, is never the smaller.
    return best > rest ? best : rest;
  }

  #turn(): void {
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

/** Lowest of the last `period` numbers, as HighestWindow. */
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
    const rest = block[at + 1] as number;
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#turn();
    } else {
      this.#best = best;
      this.#at = at + 1;
    }
    return best < rest ? best : rest;
  }

  #turn(): void {
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
