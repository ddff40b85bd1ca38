import { checkFinite, checkPeriod, type Indicator, type RangeInput } from './indicator.js';

/**
 * Wilder's average of the true range max(high, previous close) − min(low, previous close). The first
 * candle has no previous close and only lends its own; the mean of the next `period` ranges is the
 * seed (as TA-Lib and Stock.Indicators do). Warm from candle `period` + 1 on.
 */
export class AverageTrueRange implements Indicator<RangeInput> {
  readonly period: number;
  #previousClose = NaN;
  #value = NaN;
  #sum = 0;
  #count = 0;

  constructor(period: number) {
    checkPeriod('atr', period);
    this.period = period;
  }

  next(candle: RangeInput): number | undefined {
    const { high, low, close } = candle;
    checkFinite('atr', high - low + close);
    const previous = this.#previousClose;
    this.#previousClose = close;
    if (previous !== previous) return undefined;
    const range = (high > previous ? high : previous) - (low < previous ? low : previous);
    if (this.#count === this.period) {
      this.#value = (this.#value * (this.period - 1) + range) / this.period;
      return this.#value;
    }
    this.#sum += range;
    this.#count++;
    this.#value = this.#sum / this.period;
    return this.value;
  }

  get value(): number | undefined {
    return this.#count === this.period ? this.#value : undefined;
  }
}
