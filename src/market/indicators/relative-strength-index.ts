import { checkFinite, checkPeriod, type Indicator } from './indicator.js';

/** Neither gains nor losses: between overbought and oversold, so that no threshold fires. */
const FLAT = 50;

/**
 * Wilder's RSI, 0 … 100, unrounded: 100 × average gain / (average gain + average loss), both seeded
 * with the mean of the first `period` changes. Warm from input `period` + 1 on.
 *
 * A market without any change in memory is 50 here; TA-Lib says 0, others 100.
 */
export class RelativeStrengthIndex implements Indicator {
  readonly period: number;
  #previous = NaN;
  #gain = 0;
  #loss = 0;
  #count = 0;

  constructor(period: number) {
    checkPeriod('rsi', period);
    this.period = period;
  }

  next(input: number): number | undefined {
    checkFinite('rsi', input);
    const previous = this.#previous;
    this.#previous = input;
    if (previous !== previous) return undefined;
    const change = input - previous;
    this.#average(change > 0 ? change : 0, change < 0 ? -change : 0);
    return this.value;
  }

  #average(gain: number, loss: number): void {
    const { period } = this;
    if (this.#count < period) {
      this.#gain += gain;
      this.#loss += loss;
      this.#count++;
      if (this.#count < period) return;
      this.#gain /= period;
      this.#loss /= period;
    } else {
      this.#gain = (this.#gain * (period - 1) + gain) / period;
      this.#loss = (this.#loss * (period - 1) + loss) / period;
    }
  }

  get value(): number | undefined {
    if (this.#count < this.period) return undefined;
    const sum = this.#gain + this.#loss;
    return sum === 0 ? FLAT : (100 * this.#gain) / sum;
  }
}
