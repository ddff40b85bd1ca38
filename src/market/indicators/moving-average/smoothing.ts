/**
 * input × weight + value × (1 − weight) with weight 2 / (period + 1), seeded with the mean of the first
 * `period` numbers. NaN before. Rounding errors fade with the inputs, so the value does not drift.
 */
export class ExponentialSmoothing {
  readonly #weight: number;
  readonly #previousWeight: number;
  #missing: number;
  #value = NaN;
  #sum = 0;
  readonly #period: number;

  constructor(period: number) {
    this.#period = period;
    this.#missing = period;
    this.#weight = 2 / (period + 1);
    this.#previousWeight = 1 - this.#weight;
  }

  push(input: number): number {
    if (this.#missing === 0) {
      const value = input * this.#weight + this.#value * this.#previousWeight;
      this.#value = value;
      return value;
    }
    this.#sum += input;
    this.#missing--;
    if (this.#missing === 0) this.#value = this.#sum / this.#period;
    return this.#value;
  }
}

/** Wilder's smoothing: (value × (period − 1) + input) / period, seeded with the mean. NaN before. */
export class WilderSmoothing {
  readonly #period: number;
  #missing: number;
  #value = NaN;
  #sum = 0;

  constructor(period: number) {
    this.#period = period;
    this.#missing = period;
  }

  push(input: number): number {
    if (this.#missing === 0) {
      const value = (this.#value * (this.#period - 1) + input) / this.#period;
      this.#value = value;
      return value;
    }
    this.#sum += input;
    this.#missing--;
    if (this.#missing === 0) this.#value = this.#sum / this.#period;
    return this.#value;
  }
}

/**
 * Wilder's true range: max(high, previous close) − min(low, previous close). NaN for the first candle,
 * which has no previous close.
 */
export class TrueRange {
  #previousClose = NaN;

  push(high: number, low: number, close: number): number {
    const previous = this.#previousClose;
    this.#previousClose = close;
    if (previous !== previous) return NaN;
    return (high > previous ? high : previous) - (low < previous ? low : previous);
  }
}

/** The value without gains and losses: between overbought and oversold, so that no threshold triggers. */
export const NEUTRAL = 50;

/** Wilder's relative strength of a series. NaN during the first `period` changes. */
export class RelativeStrength {
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
    return sum === 0 ? NEUTRAL : (100 * gain) / sum;
  }
}
