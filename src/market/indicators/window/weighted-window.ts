/**
 * Linearly weighted sum of the last `period` numbers: 1 × the oldest … period × the newest. NaN until
 * there are `period`. By blocks, as SumWindow: no number is subtracted, so rounding errors do not
 * accumulate.
 */
export class WeightedWindow {
  readonly #period: number;
  /** Up to `#at` the numbers of this block; then, at each row, the weighted sum of the previous one from it on. */
  readonly #block: Float64Array;
  #sum = 0;
  /** 1 × the first number of this block + 2 × the second … */
  #weighted = 0;
  #at = 0;

  constructor(period: number) {
    this.#period = period;
    this.#block = new Float64Array(period + 1).fill(NaN, 0, period);
  }

  push(input: number): number {
    const block = this.#block;
    const at = this.#at;
    const sum = this.#sum + input;
    const weighted = this.#weighted + (at + 1) * input;
    // The rows of the previous block in the window raise every weight of this block by their number.
    const total = weighted + (this.#period - 1 - at) * sum + (block[at + 1] as number);
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#startNextBlock();
    } else {
      this.#sum = sum;
      this.#weighted = weighted;
      this.#at = at + 1;
    }
    return total;
  }

  #startNextBlock(): void {
    const block = this.#block;
    let sum = 0;
    let weighted = 0;
    for (let at = this.#period - 1; at > 0; at--) {
      sum += block[at] as number;
      weighted += sum;
      block[at] = weighted;
    }
    this.#sum = 0;
    this.#weighted = 0;
    this.#at = 0;
  }
}
