import { checkFinite, type Indicator, type RangeInput } from './indicator.js';
import { RollingHighest, RollingLowest } from './rolling-extreme.js';

export interface Channel {
  readonly upper: number;
  readonly middle: number;
  readonly lower: number;
}

/**
 * Highest high and lowest low of the last `period` candles, the newest among them. Warm from the
 * `period`-th on. A breakout is measured against the channel without the newest candle: read `value`
 * before `next`. Each channel is an object of its own and may be kept.
 */
export class DonchianChannel implements Indicator<Omit<RangeInput, 'close'>, Channel> {
  readonly period: number;
  value: Channel | undefined = undefined;
  readonly #highest: RollingHighest;
  readonly #lowest: RollingLowest;

  constructor(period: number) {
    this.#highest = new RollingHighest(period);
    this.#lowest = new RollingLowest(period);
    this.period = period;
  }

  next(candle: Omit<RangeInput, 'close'>): Channel | undefined {
    // Both or neither: the two sides must not drift apart.
    checkFinite('donchian', candle.high - candle.low);
    const upper = this.#highest.next(candle.high);
    const lower = this.#lowest.next(candle.low);
    if (upper !== undefined && lower !== undefined) {
      this.value = { upper, middle: (upper + lower) / 2, lower };
    }
    return this.value;
  }
}
