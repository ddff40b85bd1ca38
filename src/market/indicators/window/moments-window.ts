/**
 * Mean and standard deviation (population) of the last `period` numbers; NaN until there are `period`.
 *
 * By blocks, as SumWindow. Each part of the window has its mean and its sum of squared distances from
 * that mean, updated by one number at a time (Welford 1962). The two parts are combined by the formula of
 * Chan, Golub and LeVeque (1979). All terms are squares: a price of 1e5 that moves by 1e-3 loses no
 * digits, and the deviation of a flat window is exactly 0.
 */
export class MomentsWindow {
  readonly #period: number;
  /** Up to `#at` the numbers of this block; then, at each row, the mean of the previous block from it on. */
  readonly #means: Float64Array;
  readonly #squares: Float64Array;
  #mean = 0;
  #square = 0;
  #at = 0;
  #windowMean = NaN;
  #windowSquare = NaN;

  constructor(period: number) {
    this.#period = period;
    this.#means = new Float64Array(period + 1).fill(NaN, 0, period);
    this.#squares = new Float64Array(period + 1);
  }

  push(input: number): void {
    const period = this.#period;
    const at = this.#at;
    const count = at + 1;
    const distance = input - this.#mean;
    const mean = this.#mean + distance / count;
    const square = this.#square + distance * (input - mean);
    const restMean = this.#means[count] as number;
    const meanDifference = mean - restMean;
    const share = count / period;
    this.#windowMean = restMean + meanDifference * share;
    this.#windowSquare =
      square +
      (this.#squares[count] as number) +
      meanDifference * meanDifference * share * (period - count);
    this.#means[at] = input;
    if (count === period) {
      this.#startNextBlock();
    } else {
      this.#mean = mean;
      this.#square = square;
      this.#at = count;
    }
  }

  get mean(): number {
    return this.#windowMean;
  }

  get deviation(): number {
    return Math.sqrt(this.#windowSquare / this.#period);
  }

  #startNextBlock(): void {
    const means = this.#means;
    const squares = this.#squares;
    let mean = 0;
    let square = 0;
    let count = 0;
    for (let at = this.#period - 1; at > 0; at--) {
      const input = means[at] as number;
      count++;
      const distance = input - mean;
      mean += distance / count;
      square += distance * (input - mean);
      means[at] = mean;
      squares[at] = square;
    }
    this.#mean = 0;
    this.#square = 0;
    this.#at = 0;
  }
}
