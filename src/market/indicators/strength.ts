import { WilderSmoothing } from './smoothing.js';

/** Neither gains nor losses: between overbought and oversold, so that no threshold fires. */
export const FLAT = 50;

/** Wilder's relative strength of a series; NaN before `period` changes were seen. */
export class Strength {
  readonly #gain: WilderSmoothing;
  readonly #loss: WilderSmoothing;
  #previous = NaN;

  constructor(period: number) {
    this.#gain = new WilderSmoothing(period);
    this.#loss = new WilderSmoothing(period);
  }

  /** @returns 0 … 100 */
  push(input: number): number {
    const change = input - this.#previous;
    this.#previous = input;
    if (change !== change) return NaN;
    const gain = this.#gain.push(change > 0 ? change : 0);
    const loss = this.#loss.push(change < 0 ? -change : 0);
    const sum = gain + loss;
    return sum === 0 ? FLAT : (100 * gain) / sum;
  }
}
