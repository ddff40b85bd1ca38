import { HighestWindow, LowestWindow } from './extreme-window.js';
import { NEUTRAL } from '../moving-average/smoothing.js';
import { SumWindow } from './sum-window.js';

/** Position of the close in the range of the last candles: %K, smoothed, and its mean %D. */
export class StochasticWindow {
  readonly #smooth: number;
  readonly #signal: number;
  readonly #highest: HighestWindow;
  readonly #lowest: LowestWindow;
  readonly #positions: SumWindow;
  readonly #means: SumWindow;
  /** 0 … 100, except for rounding errors; NaN until warm. */
  k = NaN;
  d = NaN;

  constructor(period: number, smooth: number, signal: number) {
    this.#smooth = smooth;
    this.#signal = signal;
    this.#highest = new HighestWindow(period);
    this.#lowest = new LowestWindow(period);
    this.#positions = new SumWindow(smooth);
    this.#means = new SumWindow(signal);
  }

  push(high: number, low: number, close: number): void {
    const top = this.#highest.push(high);
    const bottom = this.#lowest.push(low);
    if (top !== top) return;
    const position = top === bottom ? NEUTRAL : (100 * (close - bottom)) / (top - bottom);
    const k = this.#positions.push(position) / this.#smooth;
    this.k = k;
    if (k === k) this.d = this.#means.push(k) / this.#signal;
  }
}
