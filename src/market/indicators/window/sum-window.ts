/**
 * Sum of the last `period` numbers; NaN until there are `period`.
 *
 * Numbers are grouped into blocks of `period`. A window is the end of the previous block and the start
 * of this one. So its sum is the running sum of this block plus a suffix sum of the previous one, which
 * was computed when that block was full. No number is ever subtracted, so rounding errors do not
 * accumulate, at about two additions per number.
 */
export class SumWindow {
  readonly #period: number;
  /** Up to `#at` the numbers of this block; then, at each row, the sum of the previous block from it on. */
  readonly #block: Float64Array;
  #sum = 0;
  #at = 0;

  constructor(period: number) {
    this.#period = period;
    // The extra row is always 0: when this block is full, the window holds none of the previous one.
    this.#block = new Float64Array(period + 1).fill(NaN, 0, period);
  }

  push(input: number): number {
    const block = this.#block;
    const at = this.#at;
    const sum = this.#sum + input;
    const total = sum + (block[at + 1] as number);
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#startNextBlock();
    } else {
      this.#sum = sum;
      this.#at = at + 1;
    }
    return total;
  }

  #startNextBlock(): void {
    const block = this.#block;
    let sum = 0;
    for (let at = this.#period - 1; at > 0; at--) {
      sum += block[at] as number;
      block[at] = sum;
    }
    this.#sum = 0;
    this.#at = 0;
  }
}
