/**
 * Sum of the last `period` numbers; NaN before there are so many.
 *
 * Numbers come in blocks of `period`. A window is the end of the block before and the start of this
 * one, so its sum is one running sum plus one of the sums that were made, from the right, when the
 * block before was full. Nothing is ever subtracted: the result is as good as adding up the window
 * each time, whatever came before it, at about two additions a number.
 */
export class SumWindow {
  readonly #period: number;
  /** Up to `#at` the numbers of this block, then what the rest of the block before sums up to. */
  readonly #block: Float64Array;
  #sum = 0;
  #at = 0;

  constructor(period: number) {
    this.#period = period;
    // One more, always 0: when this block is full nothing of the one before is left.
    this.#block = new Float64Array(period + 1).fill(NaN, 0, period);
  }

  push(input: number): number {
    const block = this.#block;
    const at = this.#at;
    const sum = this.#sum + input;
    const total = sum + (block[at + 1] as number);
    block[at] = input;
    if (at + 1 === this.#period) {
      this.#turn();
    } else {
      this.#sum = sum;
      this.#at = at + 1;
    }
    return total;
  }

  #turn(): void {
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
