import { HighestWindow, LowestWindow } from './extreme-window.js';
import { FLAT } from './strength.js';
import { SumWindow } from './sum-window.js';

/** Where the close stands in the range of the last candles: %K, smoothed, and %D, its mean. */
export class StochasticWindow {
  readonly #smooth: number;
  readonly #signal: number;
  readonly #highest: HighestWindow;
  readonly #lowest: LowestWindow;
  readonly #places: SumWindow;
  readonly #means: SumWindow;
  /** 0 … 100, but for rounding; NaN before it is known. */
  k = NaN;
  d = NaN;

  constructor(period: number, smooth: number, signal: number) {
    this.#smooth = smooth;
    this.#signal = signal;
    this.#highest = new HighestWindow(period);
    this.#lowest = new LowestWindow(period);
    this.#places = new SumWindow(smooth);
    this.#means = new SumWindow(signal);
  }

  push(high: number, low: number, close: number): void {
    const top = this.#highest.push(high);
    const bottom = this.#lowest.push(low);
    if (top !== top) return;
    const place = top === bottom ? FLAT : (100 * (close - bottom)) / (top - bottom);
    const k = this.#places.push(place) / this.#smooth;
    this.k = k;
    if (k === k) this.d = this.#means.push(k) / this.#signal;
  }
}
